#include "engine/jobs/clip_cutter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {
namespace {

// Speech is cut at the quietest stretch of this length: shorter than a syllable, longer than a
// period of the lowest voice.
constexpr int64_t kQuietStretchMs = 60;
// How far back from the limit a place to cut is looked for.
constexpr int64_t kCutSearchMs = 8000;
constexpr int64_t kStepMs = 32;
// A span is told this much later than it begins, its padding apart.
constexpr int64_t kOnsetMs = 200;

}  // namespace

size_t QuietestSample(std::span<const float> samples, size_t from, size_t to, int32_t rate_hz) {
  const auto stretch = static_cast<size_t>(kQuietStretchMs * rate_hz / 1000);
  double energy = 0.0;
  double least = 0.0;
  size_t best = to;
  for (size_t at = from; at < to; ++at) {
    energy += double{samples[at]} * double{samples[at]};
    const size_t filled = at - from + 1;
    if (filled > stretch) {
      energy -= double{samples[at - stretch]} * double{samples[at - stretch]};
    }
    if (filled >= stretch && (best == to || energy < least)) {
      least = energy;
      best = at - stretch / 2;
    }
  }
  return best;
}

ClipCutter::ClipCutter(std::unique_ptr<Vad> vad, VadSegmenterOptions options, ClipPolicy policy)
    : rate_hz_(vad->rate_hz()),
      policy_(policy),
      post_pad_samples_(Samples(options.post_pad_ms)),
      join_wait_samples_(policy.join_gap_ms == 0
                             ? 0
                             : Samples(policy.join_gap_ms + options.pre_pad_ms + kOnsetMs)),
      vad_(std::move(vad)),
      segmenter_(vad_.get(), options) {}

Result<std::vector<ClipEvent>> ClipCutter::Feed(std::span<const float> samples) {
  std::vector<ClipEvent> events;
  // Decisions fall at the same samples however the stream was cut into blocks.
  const int64_t step = Samples(kStepMs);
  while (!samples.empty()) {
    const auto count = std::min(samples.size(), static_cast<size_t>(step - position_ % step));
    const std::span<const float> piece = samples.first(count);
    samples = samples.subspan(count);
    audio_.insert(audio_.end(), piece.begin(), piece.end());
    position_ += static_cast<int64_t>(count);
    std::vector<VadEvent> found;
    SOTTO_RETURN_IF_ERROR(segmenter_.Feed(piece, &found));
    Take(found, &events);
    if (position_ % step == 0) {
      Advance(&events);
    }
  }
  return events;
}

Result<std::vector<ClipEvent>> ClipCutter::Finish() {
  std::vector<VadEvent> found;
  SOTTO_RETURN_IF_ERROR(segmenter_.Finish(&found));
  std::vector<ClipEvent> events;
  Take(found, &events);
  if (has_clip_) {
    EmitClip(clip_start_, clip_end_, ClipEvent::Type::kClip, &events);
    has_clip_ = false;
  }
  return events;
}

void ClipCutter::Take(const std::vector<VadEvent>& found, std::vector<ClipEvent>* out) {
  for (const VadEvent& event : found) {
    switch (event.kind) {
      case VadEvent::Kind::kStarted:
        in_speech_ = true;
        speech_start_ = event.span.start_sample;
        next_partial_ = position_ + Samples(policy_.partial_every_ms);
        out->push_back({ClipEvent::Type::kSpeechStarted, speech_start_, {}});
        break;
      case VadEvent::Kind::kEnded:
        in_speech_ = false;
        out->push_back(
            {ClipEvent::Type::kSpeechEnded,
             std::max(event.span.start_sample, event.span.end_sample - post_pad_samples_),
             {}});
        OnSpan(speech_start_, event.span.end_sample, out);
        break;
      case VadEvent::Kind::kSoftEnd:
      case VadEvent::Kind::kResumed:
        break;
    }
  }
}

void ClipCutter::OnSpan(int64_t start_sample, int64_t end_sample, std::vector<ClipEvent>* out) {
  end_sample = std::min(end_sample, position_);
  const bool joins = has_clip_ && start_sample - clip_end_ <= Samples(policy_.join_gap_ms) &&
                     end_sample - clip_start_ <= Samples(policy_.max_clip_ms);
  if (joins) {
    clip_end_ = end_sample;
    return;
  }
  if (has_clip_) {
    EmitClip(clip_start_, clip_end_, ClipEvent::Type::kClip, out);
  }
  has_clip_ = true;
  clip_start_ = start_sample;
  clip_end_ = end_sample;
}

void ClipCutter::Advance(std::vector<ClipEvent>* out) {
  if (in_speech_) {
    CutLongSpeech(out);
    if (policy_.partial_every_ms > 0 && position_ >= next_partial_) {
      next_partial_ = position_ + Samples(policy_.partial_every_ms);
      const int64_t start = has_clip_ ? clip_start_ : speech_start_;
      EmitClip(start, position_, ClipEvent::Type::kPartial, out);
    }
  } else if (has_clip_ && position_ - clip_end_ > join_wait_samples_) {
    EmitClip(clip_start_, clip_end_, ClipEvent::Type::kClip, out);
    has_clip_ = false;
  }
  // What may still be asked for: the waiting clip, the open speech, and the reach of a span that
  // has yet to begin.
  constexpr int64_t kReachMs = 2000;
  int64_t needed = position_ - Samples(kReachMs);
  if (in_speech_) {
    needed = std::min(needed, speech_start_);
  }
  if (has_clip_) {
    needed = std::min(needed, clip_start_);
  }
  Forget(needed);
}

void ClipCutter::CutLongSpeech(std::vector<ClipEvent>* out) {
  const int64_t limit = Samples(policy_.max_clip_ms);
  // A waiting clip that the open speech has outgrown goes first, at the pause between them.
  if (has_clip_ && position_ - clip_start_ > limit) {
    EmitClip(clip_start_, clip_end_, ClipEvent::Type::kClip, out);
    has_clip_ = false;
  }
  while (position_ - speech_start_ > limit) {
    const int64_t latest = speech_start_ + limit;
    const auto from = static_cast<size_t>(latest - Samples(kCutSearchMs) - audio_start_);
    const auto to = static_cast<size_t>(latest - audio_start_);
    const int64_t cut =
        audio_start_ + static_cast<int64_t>(QuietestSample(audio_, from, to, rate_hz_));
    EmitClip(speech_start_, cut, ClipEvent::Type::kClip, out);
    speech_start_ = cut;
  }
}

void ClipCutter::EmitClip(int64_t start_sample, int64_t end_sample, ClipEvent::Type type,
                          std::vector<ClipEvent>* out) const {
  start_sample = std::max(start_sample, audio_start_);
  end_sample = std::min(end_sample, position_);
  if (start_sample >= end_sample) {
    return;
  }
  ClipEvent event;
  event.type = type;
  event.sample = end_sample;
  event.clip.start_sample = start_sample;
  event.clip.samples.assign(audio_.begin() + (start_sample - audio_start_),
                            audio_.begin() + (end_sample - audio_start_));
  out->push_back(std::move(event));
}

void ClipCutter::Forget(int64_t before_sample) {
  // In steps, so that a long stream is not moved at every window.
  const int64_t spare = before_sample - audio_start_;
  if (spare > Samples(5000)) {
    audio_.erase(audio_.begin(), audio_.begin() + spare);
    audio_start_ = before_sample;
  }
}

}  // namespace sotto
