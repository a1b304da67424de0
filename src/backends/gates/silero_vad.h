// Silero VAD on our kernels: exact to the reference within 1e-5, without its runtime.
#ifndef SOTTO_BACKENDS_GATES_SILERO_VAD_H_
#define SOTTO_BACKENDS_GATES_SILERO_VAD_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "kernels/dispatch/table.h"
#include "models/vad.h"

namespace sotto {

// A stream over the weights of silero_vad.onnx (v5, v6) or silero_vad_16k_op15.onnx: 16 kHz,
// windows of 512 samples. Weights take 1.2 MB, shared by all streams made from this one; a stream
// takes 20 KB. NOT_FOUND and PERMISSION_DENIED name the path; DATA_LOSS if it is another model or
// damaged.
Result<std::unique_ptr<Vad>> LoadSileroVad(const std::string& path, const KernelTable& kernels);

// The same from the bytes of the file, which are not needed afterwards.
Result<std::unique_ptr<Vad>> MakeSileroVad(std::span<const std::byte> onnx,
                                           const KernelTable& kernels);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_GATES_SILERO_VAD_H_
