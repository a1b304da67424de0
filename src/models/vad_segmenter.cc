#include "models/vad_segmenter.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

float WindowLevelDbfs(std::span<const float> window) {
  double sum = 0.0;
  for (const float sample : window) {
    const double value = std::isfinite(sample) ? static_cast<double>(sample) : 0.0;
    sum += value * value;
  }
  const double power = sum / static_cast<double>(std::max<size_t>(window.size(), 1));
  return power > 1e-12 ? static_cast<float>(10.0 * std::log10(power)) : -120.0f;
}

// A window this far above the quietest of the last second is not noise.
constexpr float kAboveNoiseDb = 6.0f;

}  // namespace

VadSegmenter::VadSegmenter(Vad* vad, const VadSegmenterOptions& options)
    : vad_(vad), options_(options), cutter_(vad->window_samples()) {}

int64_t VadSegmenter::ToSamples(int32_t ms) const {
  return static_cast<int64_t>(ms) * vad_->rate_hz() / 1000;
}

void VadSegmenter::Reset() {
  vad_->Reset();
  cutter_.Reset();
  state_ = State::kSilence;
  probability_ = 0.0f;
  position_ = window_end_ = onset_ = active_end_ = last_span_end_ = 0;
  soft_ended_ = false;
  evidence_ = 0.0f;
  span_ = SpeechSpan();
  windows_ = 0;
}

void VadSegmenter::Tell(VadEvent::Kind kind, std::vector<VadEvent>* events) const {
  events->push_back({.kind = kind, .span = span_, .at_sample = window_end_});
}

Status VadSegmenter::Feed(std::span<const float> samples, std::vector<VadEvent>* events) {
  position_ += static_cast<int64_t>(samples.size());
  cutter_.Begin(samples);
  for (auto window = cutter_.Next(); !window.empty(); window = cutter_.Next()) {
    window_end_ += static_cast<int64_t>(window.size());
    SOTTO_RETURN_IF_ERROR(OnWindow(window, events));
  }
  return OkStatus();
}

Status VadSegmenter::Finish(std::vector<VadEvent>* events) {
  const std::span<const float> last = cutter_.Flush();
  if (!last.empty()) {
    window_end_ = position_;
    SOTTO_RETURN_IF_ERROR(OnWindow(last, events));
  }
  if (state_ == State::kSpeech) {
    Close(events);
  }
  state_ = State::kSilence;
  return OkStatus();
}

Status VadSegmenter::OnWindow(std::span<const float> window, std::vector<VadEvent>* events) {
  SOTTO_ASSIGN_OR_RETURN(probability_, vad_->Process(window));
  const float level_dbfs = WindowLevelDbfs(window);
  levels_[static_cast<size_t>(windows_++) % levels_.size()] = level_dbfs;
  const int64_t window_begin =
      std::max<int64_t>(0, window_end_ - static_cast<int64_t>(window.size()));
  if (state_ == State::kSilence) {
    if (probability_ < options_.onset_threshold) {
      return OkStatus();
    }
    state_ = State::kOnset;
    onset_ = window_begin - LeadSamples();
    confirm_from_ = window_begin;
    evidence_ = 0.0f;
    span_ = SpeechSpan();
  }
  const bool active = probability_ >= options_.offset_threshold;
  if (active) {
    active_end_ = window_end_;
    span_.peak_probability = std::max(span_.peak_probability, probability_);
    span_.peak_level_dbfs = std::max(span_.peak_level_dbfs, level_dbfs);
    evidence_ += probability_ - options_.offset_threshold;
  }
  if (state_ == State::kSpeech) {
    Follow(active, events);
  } else if (!active) {
    state_ = State::kSilence;
  } else if (active_end_ - confirm_from_ >= ToSamples(options_.min_speech_ms) &&
             evidence_ >= options_.min_evidence &&
             span_.peak_level_dbfs >= options_.min_level_dbfs) {
    Open(events);
  }
  return OkStatus();
}

// How far the sound of an onset, which the last window is, reaches back.
int64_t VadSegmenter::LeadSamples() const {
  const auto known = std::min(windows_, static_cast<int64_t>(levels_.size()));
  const auto level = [this](int64_t back) {
    return levels_[static_cast<size_t>(windows_ - 1 - back) % levels_.size()];
  };
  float quietest = 0.0f;
  for (int64_t back = 0; back < known; ++back) {
    quietest = std::min(quietest, level(back));
  }
  const auto window = static_cast<int64_t>(vad_->window_samples());
  int64_t lead = 0;
  while (lead + 1 < known && (lead + 1) * window <= ToSamples(options_.max_lead_ms) &&
         level(lead + 1) > quietest + kAboveNoiseDb) {
    ++lead;
  }
  return lead * window;
}

void VadSegmenter::Open(std::vector<VadEvent>* events) {
  state_ = State::kSpeech;
  soft_ended_ = false;
  span_.start_sample =
      std::max({int64_t{0}, last_span_end_, onset_ - ToSamples(options_.pre_pad_ms)});
  span_.end_sample = active_end_;
  Tell(VadEvent::Kind::kStarted, events);
}

void VadSegmenter::Follow(bool active, std::vector<VadEvent>* events) {
  span_.end_sample = std::min(active_end_ + ToSamples(options_.post_pad_ms), window_end_);
  const int64_t silence = window_end_ - active_end_;
  if (active && soft_ended_) {
    soft_ended_ = false;
    Tell(VadEvent::Kind::kResumed, events);
  } else if (!soft_ended_ && silence > 0 && silence >= ToSamples(options_.soft_end_ms)) {
    soft_ended_ = true;
    Tell(VadEvent::Kind::kSoftEnd, events);
  }
  if (silence > 0 && silence >= ToSamples(options_.hangover_ms)) {
    Close(events);
  }
}

void VadSegmenter::Close(std::vector<VadEvent>* events) {
  span_.end_sample = std::min(active_end_ + ToSamples(options_.post_pad_ms), position_);
  last_span_end_ = span_.end_sample;
  Tell(VadEvent::Kind::kEnded, events);
  state_ = State::kSilence;
  soft_ended_ = false;
}

Result<std::vector<SpeechSpan>> FindSpeech(Vad* vad, std::span<const float> samples,
                                           const VadSegmenterOptions& options,
                                           const CancelToken& cancel) {
  VadSegmenter segmenter(vad, options);
  segmenter.Reset();
  std::vector<VadEvent> events;
  // About a second at a time between looks at `cancel`.
  const size_t piece = 32 * vad->window_samples();
  Status status;
  for (size_t at = 0; at < samples.size() && status.ok(); at += piece) {
    status = cancel.Check();
    if (status.ok()) {
      status = segmenter.Feed(samples.subspan(at, std::min(piece, samples.size() - at)), &events);
    }
  }
  if (status.ok()) {
    status = segmenter.Finish(&events);
  }
  vad->Reset();
  SOTTO_RETURN_IF_ERROR(status);
  std::vector<SpeechSpan> spans;
  for (const VadEvent& event : events) {
    if (event.kind == VadEvent::Kind::kEnded) {
      spans.push_back(event.span);
    }
  }
  return spans;
}

}  // namespace sotto
