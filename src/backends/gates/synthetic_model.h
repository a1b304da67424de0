// Makes ONNX bytes of the shape of Silero VAD with random weights: tests without model files.
#ifndef SOTTO_BACKENDS_GATES_SYNTHETIC_MODEL_H_
#define SOTTO_BACKENDS_GATES_SYNTHETIC_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::testing_support {

// Protobuf fields: a number, and a block of bytes.
std::string VarintField(uint32_t number, uint64_t value);
std::string BlockField(uint32_t number, std::string_view bytes);

// A TensorProto of floats.
std::string TensorBytes(std::string_view name, const std::vector<int64_t>& dims,
                        const std::vector<float>& values);

// A GraphProto: all weights of the 16 kHz network. `without` leaves one tensor out; `nested` puts
// them into Constant nodes as the two-rate model does, instead of initializers.
std::string SileroGraph(uint32_t seed, bool nested, std::string_view without = "");

// A ModelProto with the graph itself, or in a branch of an If node behind an 8 kHz decoy.
std::string SileroModel(uint32_t seed, bool nested, std::string_view without = "");

}  // namespace sotto::testing_support

#endif  // SOTTO_BACKENDS_GATES_SYNTHETIC_MODEL_H_
