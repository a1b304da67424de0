// Owners of whisper.cpp's handles.
#ifndef SOTTO_BACKENDS_WHISPER_HANDLES_H_
#define SOTTO_BACKENDS_WHISPER_HANDLES_H_

#include <whisper.h>

#include <memory>

namespace sotto::whisper {

struct ContextDeleter {
  void operator()(whisper_context* context) const { whisper_free(context); }
};
struct StateDeleter {
  void operator()(whisper_state* state) const { whisper_free_state(state); }
};
using ContextPtr = std::unique_ptr<whisper_context, ContextDeleter>;
using StatePtr = std::unique_ptr<whisper_state, StateDeleter>;

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_HANDLES_H_
