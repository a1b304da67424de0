// The parts of ValidateGguf().
#ifndef SOTTO_MODELFILES_GGUF_CHECKS_H_
#define SOTTO_MODELFILES_GGUF_CHECKS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "modelfiles/gguf.h"
#include "modelfiles/gguf_file.h"

namespace sotto {

// What llama.cpp's graph of an architecture takes for granted.
struct LlamaArchitecture {
  std::string_view name;
  uint32_t flags = 0;
};
inline constexpr uint32_t kSquareHeads = 1;  // heads of keys and of values have one size
inline constexpr uint32_t kFullRope = 2;     // rotation covers the whole head
inline constexpr uint32_t kEncoder = 4;      // embeds, does not generate
inline constexpr uint32_t kDrafter = 8;      // works only beside a target
inline constexpr uint32_t kRecurrent = 16;   // has no attention
inline constexpr uint32_t kNoRope = 32;      // positions are not rotations
inline constexpr uint32_t kExperts = 64;     // has experts always
inline constexpr uint32_t kDeltaNet = 128;   // has linear attention of the Qwen3-Next kind

// An architecture of llama.cpp v0.5.0 that takes text; nullptr for others.
const LlamaArchitecture* FindLlamaArchitecture(std::string_view name);

// Each checks its part against `gguf` and fills its part of `summary`; DATA_LOSS as of
// GgufError(). CheckTensors REQUIRES the two before it.
Status CheckTokenizer(const std::string& file, const GgufFile& gguf, GgufSummary& summary);
Status CheckHyperParameters(const std::string& file, const GgufFile& gguf,
                            const LlamaArchitecture& architecture, GgufSummary& summary);
Status CheckTensors(const std::string& file, const GgufFile& gguf, GgufSummary& summary);

}  // namespace sotto

#endif  // SOTTO_MODELFILES_GGUF_CHECKS_H_
