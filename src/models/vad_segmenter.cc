#include "models/vad_segmenter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {
namespace {

float MeanSquare(std::span<const float> window) {
  float sum = 0.0f;
  for (const float sample : window) {
    sum += std::isfinite(sample) ? sample * sample : 0.0f;
  }
  return sum / static_cast<float>(window.size());
}

}  // namespace

VadSegmenter::VadSegmenter(std::unique_ptr<Vad> vad, const VadSegmenterOptions& options)
    : vad_(std::move(vad)),
      options_(options),
      rate_hz_(vad_->rate_hz()),
      window_samples_(static_cast<int64_t>(vad_->window_samples())),
      min_mean_square_(std::pow(10.0f, options.min_level_dbfs / 10.0f)),
      cutter_(vad_->window_samples()) {}

Status VadSegmenter::Feed(std::span<const float> samples, std::vector<VadEvent>* events) {
  stream_end_ += static_cast<int64_t>(samples.size());
  cutter_.Begin(samples);
  Status status;
  for (auto window = cutter_.Next(); !window.empty(); window = cutter_.Next()) {
    if (status.ok()) {
      status = TakeWindow(window, events);
    }
  }
  return status;
}

Status VadSegmenter::Finish(std::vector<VadEvent>* events) {
  if (const std::span<const float> window = cutter_.Flush(); !window.empty()) {
    SOTTO_RETURN_IF_ERROR(TakeWindow(window, events));
  }
  if (in_speech_) {
    CloseSpan(events);
  }
  return OkStatus();
}

void VadSegmenter::Reset() {
  vad_->Reset();
  cutter_.Reset();
  position_ = 0;
  stream_end_ = 0;
  probability_ = 0.0f;
  in_speech_ = false;
  run_windows_ = 0;
  previous_end_ = 0;
}

Status VadSegmenter::TakeWindow(std::span<const float> window, std::vector<VadEvent>* events) {
  SOTTO_ASSIGN_OR_RETURN(probability_, vad_->Process(window));
  position_ += window_samples_;
  const bool audible = MeanSquare(window) >= min_mean_square_;
  if (in_speech_) {
    InsideSpeech(audible && probability_ >= options_.offset, events);
  } else {
    OutsideSpeech(audible && probability_ >= options_.onset, events);
  }
  return OkStatus();
}

void VadSegmenter::OutsideSpeech(bool is_speech, std::vector<VadEvent>* events) {
  if (!is_speech) {
    run_windows_ = 0;
    return;
  }
  strongest_ = run_windows_ == 0 ? probability_ : std::max(strongest_, probability_);
  ++run_windows_;
  if (run_windows_ * window_samples_ < Samples(options_.min_speech_ms)) {
    return;
  }
  in_speech_ = true;
  soft_end_told_ = false;
  last_speech_ = position_;
  span_start_ = std::max(previous_end_, position_ - run_windows_ * window_samples_ -
                                            Samples(options_.pre_roll_ms));
  run_windows_ = 0;
  events->push_back({VadEvent::Kind::kSpeechStart, {span_start_, position_}, last_speech_});
}

void VadSegmenter::InsideSpeech(bool is_speech, std::vector<VadEvent>* events) {
  if (is_speech) {
    strongest_ = std::max(strongest_, probability_);
    last_speech_ = position_;
    soft_end_told_ = false;
    return;
  }
  const int64_t silence = position_ - last_speech_;
  if (!soft_end_told_ && silence >= Samples(options_.soft_end_ms)) {
    soft_end_told_ = true;
    events->push_back({VadEvent::Kind::kSoftEnd, {span_start_, last_speech_}, last_speech_});
  }
  if (silence >= Samples(options_.hangover_ms)) {
    CloseSpan(events);
  }
}

void VadSegmenter::CloseSpan(std::vector<VadEvent>* events) {
  in_speech_ = false;
  const int64_t end =
      std::min({last_speech_ + Samples(options_.post_pad_ms), position_, stream_end_});
  const VadEvent::Kind kind = strongest_ >= options_.confirm ? VadEvent::Kind::kSpeechEnd
                                                             : VadEvent::Kind::kSpeechDropped;
  events->push_back({kind, {span_start_, end}, std::min(last_speech_, stream_end_)});
  previous_end_ = end;
}

}  // namespace sotto
