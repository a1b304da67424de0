#include "backends/samplerate/samplerate_resampler.h"

#include <samplerate.h>

#include <algorithm>
#include <limits>
#include <string>

namespace sotto {
namespace {

struct DeleteState {
  void operator()(SRC_STATE* state) const { src_delete(state); }
};

// 121 dB of SNR and 90 % of the bandwidth, at a third of the cost of the best converter.
constexpr int kConverter = SRC_SINC_MEDIUM_QUALITY;

long Limited(size_t count) {
  return static_cast<long>(std::min<size_t>(count, std::numeric_limits<int32_t>::max()));
}

class SamplerateResampler final : public Resampler {
 public:
  SamplerateResampler(std::unique_ptr<SRC_STATE, DeleteState> state, int32_t in_rate_hz,
                      int32_t out_rate_hz)
      : state_(std::move(state)), in_rate_hz_(in_rate_hz), out_rate_hz_(out_rate_hz) {}

  int32_t in_rate_hz() const override { return in_rate_hz_; }
  int32_t out_rate_hz() const override { return out_rate_hz_; }

  Result<Progress> Process(std::span<const float> in, std::span<float> out) override {
    if (flushing_) {
      return FailedPreconditionError("resample: input after Flush(); call Reset() first");
    }
    SOTTO_ASSIGN_OR_RETURN(const Progress progress, Run(in, out, false));
    in_total_ += static_cast<int64_t>(progress.used);
    out_total_ += static_cast<int64_t>(progress.made);
    return progress;
  }

  Result<size_t> Flush(std::span<float> out) override {
    flushing_ = true;
    // The converter's own end differs by a sample or so: the count is kept exact here.
    const int64_t due = ResampledCount(in_total_, in_rate_hz_, out_rate_hz_) - out_total_;
    if (due <= 0 || out.empty()) {
      return size_t{0};
    }
    out = out.first(static_cast<size_t>(std::min<int64_t>(due, static_cast<int64_t>(out.size()))));
    size_t made = 0;
    if (!dry_) {
      SOTTO_ASSIGN_OR_RETURN(const Progress progress, Run({}, out, true));
      made = progress.made;
      dry_ = made == 0;
    }
    if (dry_) {
      std::fill(out.begin(), out.end(), 0.0f);
      made = out.size();
    }
    out_total_ += static_cast<int64_t>(made);
    return made;
  }

  void Reset() override {
    src_reset(state_.get());
    in_total_ = 0;
    out_total_ = 0;
    flushing_ = false;
    dry_ = false;
  }

 private:
  Result<Progress> Run(std::span<const float> in, std::span<float> out, bool at_end) {
    SRC_DATA data = {};
    data.data_in = in.data();
    data.data_out = out.data();
    data.input_frames = Limited(in.size());
    data.output_frames = Limited(out.size());
    data.end_of_input = at_end ? 1 : 0;
    data.src_ratio = static_cast<double>(out_rate_hz_) / in_rate_hz_;
    const int error = src_process(state_.get(), &data);
    if (error != 0) {
      return InternalError(std::string("resample: ") + src_strerror(error));
    }
    return Progress{static_cast<size_t>(data.input_frames_used),
                    static_cast<size_t>(data.output_frames_gen)};
  }

  std::unique_ptr<SRC_STATE, DeleteState> state_;
  int32_t in_rate_hz_;
  int32_t out_rate_hz_;
  int64_t in_total_ = 0;
  int64_t out_total_ = 0;
  bool flushing_ = false;
  bool dry_ = false;
};

}  // namespace

Result<std::unique_ptr<Resampler>> MakeSamplerateResampler(int32_t in_rate_hz,
                                                           int32_t out_rate_hz) {
  SOTTO_RETURN_IF_ERROR(CheckRate(in_rate_hz));
  SOTTO_RETURN_IF_ERROR(CheckRate(out_rate_hz));
  int error = 0;
  std::unique_ptr<SRC_STATE, DeleteState> state(src_new(kConverter, 1, &error));
  if (state == nullptr) {
    return ResourceExhaustedError(std::string("resample: ") + src_strerror(error));
  }
  return std::unique_ptr<Resampler>(
      std::make_unique<SamplerateResampler>(std::move(state), in_rate_hz, out_rate_hz));
}

}  // namespace sotto
