// A look at a Whisper file of whisper.cpp's ggml format before whisper.cpp opens it: it trusts the
// counts and lengths in it, and reads a cut file as if it were whole.
#ifndef SOTTO_BACKENDS_WHISPER_MODEL_CHECK_H_
#define SOTTO_BACKENDS_WHISPER_MODEL_CHECK_H_

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace sotto::whisper {

// OK if header, filters, vocabulary and every tensor's extent are those of a Whisper model and end
// with the file; otherwise DATA_LOSS with what is wrong at which byte.
Status CheckModelBytes(std::span<const std::byte> bytes);

// CheckModelBytes() of the file at `path`, with the errors of base/file.h and the path in front.
Status CheckModelFile(const std::string& path);

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_MODEL_CHECK_H_
