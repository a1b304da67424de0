// Silero VAD on our kernels against ONNX Runtime with one thread, in one run: the two take turns
// at every window, so both meet the same moments of the machine.
//
//   SOTTO_MODELS_DIR=... vad_bench [windows]
//
// Prints one JSON object. Inputs vary: a voice-like tone under noise, scaled from window to window.
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "backends/gates/silero_vad.h"

namespace {

constexpr size_t kWindow = 512;
constexpr size_t kContext = 64;

double NowUs() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Ends the program with the runtime's message.
void Check(const OrtApi* api, OrtStatus* status) {
  if (status != nullptr) {
    std::fprintf(stderr, "onnxruntime: %s\n", api->GetErrorMessage(status));
    std::exit(1);
  }
}

class Runtime {
 public:
  explicit Runtime(const std::string& path) {
    Check(api_, api_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &env_));
    OrtSessionOptions* options = nullptr;
    Check(api_, api_->CreateSessionOptions(&options));
    Check(api_, api_->SetIntraOpNumThreads(options, 1));
    Check(api_, api_->SetInterOpNumThreads(options, 1));
    Check(api_, api_->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    Check(api_, api_->CreateSession(env_, path.c_str(), options, &session_));
    OrtMemoryInfo* memory = nullptr;
    Check(api_, api_->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    const int64_t input_shape[] = {1, kContext + kWindow};
    const int64_t state_shape[] = {2, 1, 128};
    Check(api_,
          api_->CreateTensorWithDataAsOrtValue(memory, input_, sizeof(input_), input_shape, 2,
                                               ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &inputs_[0]));
    Check(api_,
          api_->CreateTensorWithDataAsOrtValue(memory, state_, sizeof(state_), state_shape, 3,
                                               ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &inputs_[1]));
    Check(api_,
          api_->CreateTensorWithDataAsOrtValue(memory, &rate_, sizeof(rate_), nullptr, 0,
                                               ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &inputs_[2]));
  }

  float Process(const float* window) {
    std::memcpy(input_ + kContext, window, kWindow * sizeof(float));
    const char* const input_names[] = {"input", "state", "sr"};
    const char* const output_names[] = {"output", "stateN"};
    OrtValue* outputs[2] = {};
    Check(api_, api_->Run(session_, nullptr, input_names, inputs_, 3, output_names, 2, outputs));
    float* probability = nullptr;
    float* state = nullptr;
    Check(api_, api_->GetTensorMutableData(outputs[0], reinterpret_cast<void**>(&probability)));
    Check(api_, api_->GetTensorMutableData(outputs[1], reinterpret_cast<void**>(&state)));
    const float result = *probability;
    std::memcpy(state_, state, sizeof(state_));
    std::memcpy(input_, input_ + kWindow, kContext * sizeof(float));
    api_->ReleaseValue(outputs[0]);
    api_->ReleaseValue(outputs[1]);
    return result;
  }

 private:
  const OrtApi* api_ = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env_ = nullptr;
  OrtSession* session_ = nullptr;
  OrtValue* inputs_[3] = {};
  float input_[kContext + kWindow] = {};
  float state_[256] = {};
  int64_t rate_ = 16000;
};

struct Times {
  std::string name;
  std::vector<double> us;

  void Print(bool last) {
    std::sort(us.begin(), us.end());
    const double median = us[us.size() / 2];
    std::vector<double> deviations;
    for (const double value : us) {
      deviations.push_back(std::abs(value - median));
    }
    std::sort(deviations.begin(), deviations.end());
    std::printf(
        "    {\"name\": \"%s\", \"median_us\": %.2f, \"mad_us\": %.2f, \"min_us\": %.2f, "
        "\"p95_us\": %.2f}%s\n",
        name.c_str(), median, deviations[deviations.size() / 2], us.front(),
        us[us.size() * 95 / 100], last ? "" : ",");
  }
};

}  // namespace

int main(int argc, char** argv) {
  const char* folder = std::getenv("SOTTO_MODELS_DIR");
  const size_t windows = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 5000;
  const std::string path =
      std::string(folder != nullptr ? folder : ".") + "/vad/silero_vad_v6.onnx";
  Runtime runtime(path);
  std::vector<std::unique_ptr<sotto::Vad>> ours;
  std::vector<Times> times;
  for (const sotto::Isa isa : sotto::IsasHere()) {
    auto vad = sotto::LoadSileroVad(path, sotto::KernelsFor(isa));
    if (!vad.ok()) {
      std::fprintf(stderr, "%s\n", vad.status().ToString().c_str());
      return 1;
    }
    ours.push_back(std::move(*vad));
    times.push_back({"sotto/" + std::string(sotto::IsaName(isa)), {}});
  }
  times.push_back({"onnxruntime", {}});

  std::mt19937 random(1);
  std::normal_distribution<float> noise(0.0f, 0.05f);
  std::vector<float> window(kWindow);
  constexpr size_t kWarmUp = 100;
  float worst = 0.0f;
  for (size_t w = 0; w < windows + kWarmUp; ++w) {
    for (size_t k = 0; k < kWindow; ++k) {
      const float t = static_cast<float>(w * kWindow + k) / 16000.0f;
      window[k] = 0.3f * std::sin(943.0f * t) * (1.0f + 0.5f * std::sin(19.0f * t)) + noise(random);
    }
    std::vector<float> probabilities;
    for (size_t n = 0; n < times.size(); ++n) {
      const double begin = NowUs();
      const float p = n < ours.size() ? *ours[n]->Process(window) : runtime.Process(window.data());
      const double took = NowUs() - begin;
      probabilities.push_back(p);
      if (w >= kWarmUp) {
        times[n].us.push_back(took);
      }
    }
    for (const float p : probabilities) {
      worst = std::max(worst, std::abs(p - probabilities.back()));
    }
  }
  std::printf("{\n  \"windows\": %zu, \"worst_difference\": %.2g,\n  \"rows\": [\n", windows,
              static_cast<double>(worst));
  for (size_t n = 0; n < times.size(); ++n) {
    times[n].Print(n + 1 == times.size());
  }
  std::printf("  ]\n}\n");
  return 0;
}
