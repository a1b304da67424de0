// Silero VAD against the runtime it comes from: an hour of mixed audio, and the golden file.
#include <gtest/gtest.h>
#include <onnxruntime_c_api.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "backends/gates/silero_vad.h"
#include "backends/gates/test_signals.h"
#include "base/file.h"

namespace sotto {
namespace {

using testing_support::Clips;
using testing_support::MixedAudio;
using testing_support::ModelFile;
using testing_support::ToFloat;

constexpr size_t kWindow = 512;
constexpr size_t kContext = 64;

// The model in ONNX Runtime, one thread, driven as its authors do. Any failure ends the test
// through ok_.
class ReferenceVad {
 public:
  explicit ReferenceVad(const std::string& path) {
    Check(api_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "reference", &env_));
    OrtSessionOptions* options = nullptr;
    Check(api_->CreateSessionOptions(&options));
    Check(api_->SetIntraOpNumThreads(options, 1));
    Check(api_->CreateSession(env_, path.c_str(), options, &session_));
    api_->ReleaseSessionOptions(options);
    Check(api_->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_));
    const int64_t input_shape[] = {1, static_cast<int64_t>(input_.size())};
    const int64_t state_shape[] = {2, 1, 128};
    inputs_[0] = Tensor(input_.data(), input_.size() * 4, input_shape, 2,
                        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    inputs_[1] = Tensor(state_.data(), state_.size() * 4, state_shape, 3,
                        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    inputs_[2] = Tensor(&rate_, sizeof(rate_), nullptr, 0, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  }
  ~ReferenceVad() {
    for (OrtValue* input : inputs_) {
      api_->ReleaseValue(input);
    }
    api_->ReleaseMemoryInfo(memory_);
    api_->ReleaseSession(session_);
    api_->ReleaseEnv(env_);
  }
  bool ok() const { return ok_; }

  float Process(const float* window) {
    std::memcpy(input_.data() + kContext, window, kWindow * sizeof(float));
    const char* const input_names[] = {"input", "state", "sr"};
    const char* const output_names[] = {"output", "stateN"};
    OrtValue* outputs[2] = {};
    Check(api_->Run(session_, nullptr, input_names, inputs_, 3, output_names, 2, outputs));
    if (!ok_) {
      return -1.0f;
    }
    float* probability = nullptr;
    float* state = nullptr;
    Check(api_->GetTensorMutableData(outputs[0], reinterpret_cast<void**>(&probability)));
    Check(api_->GetTensorMutableData(outputs[1], reinterpret_cast<void**>(&state)));
    const float result = *probability;
    std::memcpy(state_.data(), state, state_.size() * sizeof(float));
    std::memcpy(input_.data(), input_.data() + kWindow, kContext * sizeof(float));
    api_->ReleaseValue(outputs[0]);
    api_->ReleaseValue(outputs[1]);
    return result;
  }

 private:
  void Check(OrtStatus* status) {
    if (status != nullptr) {
      ADD_FAILURE() << api_->GetErrorMessage(status);
      api_->ReleaseStatus(status);
      ok_ = false;
    }
  }
  OrtValue* Tensor(void* data, size_t bytes, const int64_t* shape, size_t dims,
                   ONNXTensorElementDataType type) {
    OrtValue* value = nullptr;
    Check(api_->CreateTensorWithDataAsOrtValue(memory_, data, bytes, shape, dims, type, &value));
    return value;
  }

  const OrtApi* api_ = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env_ = nullptr;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
  OrtValue* inputs_[3] = {};
  std::vector<float> input_ = std::vector<float>(kContext + kWindow);
  std::vector<float> state_ = std::vector<float>(2 * 128);
  int64_t rate_ = 16000;
  bool ok_ = true;
};

std::vector<float> ReferenceProbabilities(const std::vector<float>& audio) {
  std::vector<float> probabilities;
  const std::string path = ModelFile("vad/silero_vad_v6.onnx");
  if (path.empty()) {
    return probabilities;
  }
  ReferenceVad reference(path);
  for (size_t at = 0; at + kWindow <= audio.size() && reference.ok(); at += kWindow) {
    probabilities.push_back(reference.Process(audio.data() + at));
  }
  return probabilities;
}

TEST(SileroReference, AnHourOfMixedAudioIsWithin1e5) {
  const std::vector<float> audio = ToFloat(MixedAudio(Clips(), 3600));
  const std::vector<float> expected = ReferenceProbabilities(audio);
  ASSERT_EQ(expected.size(), audio.size() / kWindow);
  const auto vad = LoadSileroVad(ModelFile("vad/silero_vad_v6.onnx"), KernelsFor(BestIsa()));
  ASSERT_TRUE(vad.ok()) << vad.status().ToString();
  float worst = 0.0f;
  size_t flips = 0;
  for (size_t k = 0; k < expected.size(); ++k) {
    const float got = *(*vad)->Process(std::span(audio).subspan(k * kWindow, kWindow));
    worst = std::max(worst, std::abs(got - expected[k]));
    flips += (got >= 0.5f) != (expected[k] >= 0.5f) ? 1 : 0;
  }
  EXPECT_LT(worst, 1e-5f);
  EXPECT_EQ(flips, 0u);
  RecordProperty("worst_difference", std::to_string(worst));
}

// SOTTO_WRITE_GOLDEN=<path> writes the file instead.
TEST(SileroReference, TheGoldenFileIsWhatTheReferenceGives) {
  const std::vector<float> expected = ReferenceProbabilities(ToFloat(MixedAudio(Clips(), 60)));
  if (const char* path = std::getenv("SOTTO_WRITE_GOLDEN"); path != nullptr) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(expected.data()),
               static_cast<std::streamsize>(expected.size() * sizeof(float)));
    return;
  }
  const char* folder = std::getenv("SOTTO_TESTDATA");
  const Result<std::string> bytes = ReadFile(
      std::string(folder != nullptr ? folder : "testdata") + "/silero_golden.f32", 1 << 20);
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  ASSERT_EQ(bytes->size(), expected.size() * sizeof(float));
  std::vector<float> golden(expected.size());
  std::memcpy(golden.data(), bytes->data(), bytes->size());
  for (size_t k = 0; k < golden.size(); ++k) {
    ASSERT_NEAR(golden[k], expected[k], 1e-5f) << k;
  }
}

}  // namespace
}  // namespace sotto
