// sotto/sotto.h - the whole C ABI. Conventions: sotto/status.h.
#ifndef SOTTO_SOTTO_H_
#define SOTTO_SOTTO_H_

#include "sotto/audio.h"
#include "sotto/engine.h"
#include "sotto/export.h"
#include "sotto/generate.h"
#include "sotto/model.h"
#include "sotto/sense.h"
#include "sotto/speak.h"
#include "sotto/status.h"
#include "sotto/store.h"
#include "sotto/trace.h"
#include "sotto/transcribe.h"
#include "sotto/turn.h"

#endif  // SOTTO_SOTTO_H_
