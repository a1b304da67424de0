#include "backends/onnx/speech_shaper.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// -50 dBFS: under the noise of any room, over the residue that voices leave in pauses.
constexpr float kSilence = 0.003f;
// Long enough to be no click, short enough to be no loss.
constexpr int32_t kFadeMs = 5;
// Peaks are bent from here on and never reach full scale.
constexpr float kKnee = 0.9f;
constexpr float kCeiling = 0.99f;

float Limit(float sample) {
  const float size = std::fabs(sample);
  if (size <= kKnee) {
    return sample;
  }
  if (!std::isfinite(sample)) {
    return 0.0f;
  }
  const float room = kCeiling - kKnee;
  return std::copysign(kKnee + room * std::tanh((size - kKnee) / room), sample);
}

}  // namespace

SpeechShaper::SpeechShaper(const SpeechShape& shape)
    : shape_(shape), fade_samples_(Samples(kFadeMs)) {}

int64_t SpeechShaper::Samples(int32_t ms) const {
  return static_cast<int64_t>(ms) * shape_.rate_hz / 1000;
}

void SpeechShaper::Emit(float sample, std::vector<float>& out) {
  if (emitted_ < fade_samples_) {
    sample *= static_cast<float>(emitted_) / static_cast<float>(fade_samples_);
  }
  ++emitted_;
  out.push_back(sample);
}

void SpeechShaper::Push(std::span<const float> samples, std::vector<float>& out) {
  const int64_t max_lead = Samples(shape_.max_lead_ms);
  for (const float raw : samples) {
    const float sample = Limit(raw);
    held_.push_back(sample);
    if (std::fabs(sample) < kSilence) {
      ++silent_held_;
    } else {
      silent_held_ = 0;
      heard_ = true;
    }
  }
  if (!heard_) {
    // Only the newest silence can come to stand before the first sound.
    const int64_t excess = std::ssize(held_) - max_lead;
    if (excess > 0) {
      held_.erase(held_.begin(), held_.begin() + excess);
      silent_held_ -= excess;
      dropped_ += excess;
    }
    return;
  }
  if (emitted_ == 0) {
    int64_t lead = 0;
    while (std::fabs(held_[static_cast<size_t>(lead)]) < kSilence) {
      ++lead;
    }
    if (const int64_t excess = lead - max_lead; excess > 0) {
      held_.erase(held_.begin(), held_.begin() + excess);
      dropped_ += excess;
    }
  }
  const int64_t keep = std::max(silent_held_, fade_samples_);
  const int64_t certain = std::max<int64_t>(0, std::ssize(held_) - keep);
  for (int64_t i = 0; i < certain; ++i) {
    Emit(held_[static_cast<size_t>(i)], out);
  }
  held_.erase(held_.begin(), held_.begin() + certain);
}

void SpeechShaper::Finish(std::vector<float>& out) {
  if (!heard_) {
    held_.clear();
    return;
  }
  const int64_t sound = std::ssize(held_) - silent_held_;
  const int64_t tail = std::min(silent_held_, Samples(shape_.max_tail_ms));
  held_.resize(static_cast<size_t>(sound + tail));
  const int64_t fade = std::min(fade_samples_, std::ssize(held_));
  for (int64_t i = 0; i < fade; ++i) {
    held_[held_.size() - 1 - static_cast<size_t>(i)] *=
        static_cast<float>(i) / static_cast<float>(fade);
  }
  for (const float sample : held_) {
    Emit(sample, out);
  }
  out.insert(out.end(),
             static_cast<size_t>(std::max<int64_t>(0, Samples(shape_.min_tail_ms) - tail)), 0.0f);
  held_.clear();
  silent_held_ = 0;
}

}  // namespace sotto
