#include "engine/trace/waterfall.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr std::array<std::string_view, kNumCheckpoints> kNames = {
    "peer-utterance-end",
    "vad-trigger",
    "vad-speech-start",
    "user-speech-end",
    "soft-end",
    "prewarm-fired",
    "asr-first-partial",
    "asr-final",
    "commit",
    "llm-first-token",
    "llm-first-replytext-char",
    "replyText-first-emotion-tag",
    "phrase-1-to-tts",
    "tts-first-audio-chunk",
    "audio-first-played",
    "audio-first-into-peer-ring",
};

struct DerivedRule {
  std::string_view name;
  Checkpoint from;
  Checkpoint to;
};

// ttft, ttfa and ttap as the reference counts them, from the detector's first sign of speech, and
// the same from where the user stopped, which is what a person hears as silence.
constexpr std::array<DerivedRule, 11> kRules = {{
    {"ttft_ms", Checkpoint::kVadTrigger, Checkpoint::kLlmFirstToken},
    {"ttfa_ms", Checkpoint::kVadTrigger, Checkpoint::kTtsFirstAudioChunk},
    {"ttap_ms", Checkpoint::kVadTrigger, Checkpoint::kAudioFirstPlayed},
    {"ttft_from_speech_end_ms", Checkpoint::kUserSpeechEnd, Checkpoint::kLlmFirstToken},
    {"ttfa_from_speech_end_ms", Checkpoint::kUserSpeechEnd, Checkpoint::kTtsFirstAudioChunk},
    {"ttap_from_speech_end_ms", Checkpoint::kUserSpeechEnd, Checkpoint::kAudioFirstPlayed},
    {"asr_final_from_speech_end_ms", Checkpoint::kUserSpeechEnd, Checkpoint::kAsrFinal},
    {"commit_from_speech_end_ms", Checkpoint::kUserSpeechEnd, Checkpoint::kCommit},
    {"asr_final_to_first_token_ms", Checkpoint::kAsrFinal, Checkpoint::kLlmFirstToken},
    {"first_token_to_phrase_ms", Checkpoint::kLlmFirstToken, Checkpoint::kPhrase1ToTts},
    {"phrase_to_first_audio_ms", Checkpoint::kPhrase1ToTts, Checkpoint::kTtsFirstAudioChunk},
}};

}  // namespace

std::string_view CheckpointName(Checkpoint checkpoint) {
  return kNames[static_cast<size_t>(checkpoint)];
}

void Waterfall::Mark(Checkpoint checkpoint, int64_t now_us) {
  MutexLock lock(mutex_);
  std::optional<int64_t>& mark = marks_us_[static_cast<size_t>(checkpoint)];
  if (mark.has_value()) {
    anomalies_.push_back("duplicate: " + std::string(CheckpointName(checkpoint)));
    return;
  }
  mark = now_us - origin_us_;
}

bool Waterfall::has(Checkpoint checkpoint) const {
  MutexLock lock(mutex_);
  return marks_us_[static_cast<size_t>(checkpoint)].has_value();
}

WaterfallView Waterfall::View() const {
  WaterfallView view;
  view.turn_id = turn_id_;
  {
    MutexLock lock(mutex_);
    view.marks_us = marks_us_;
    view.anomalies = anomalies_;
  }
  // Marks of one chain must not go back in time. Commit and soft end run beside the recogniser.
  constexpr std::array<Checkpoint, 8> kChain = {Checkpoint::kVadTrigger,
                                                Checkpoint::kVadSpeechStart,
                                                Checkpoint::kAsrFinal,
                                                Checkpoint::kLlmFirstToken,
                                                Checkpoint::kLlmFirstReplyTextChar,
                                                Checkpoint::kPhrase1ToTts,
                                                Checkpoint::kTtsFirstAudioChunk,
                                                Checkpoint::kAudioFirstPlayed};
  std::optional<Checkpoint> last;
  for (const Checkpoint checkpoint : kChain) {
    const auto& mark = view.marks_us[static_cast<size_t>(checkpoint)];
    if (!mark.has_value()) {
      continue;
    }
    if (last.has_value() && *mark < *view.marks_us[static_cast<size_t>(*last)]) {
      view.anomalies.push_back("out of order: " + std::string(CheckpointName(checkpoint)) +
                               " before " + std::string(CheckpointName(*last)));
    }
    last = checkpoint;
  }
  for (const DerivedRule& rule : kRules) {
    const auto& from = view.marks_us[static_cast<size_t>(rule.from)];
    const auto& to = view.marks_us[static_cast<size_t>(rule.to)];
    DerivedFigure figure{rule.name, std::nullopt};
    if (from.has_value() && to.has_value()) {
      figure.value_ms = static_cast<double>(*to - *from) / 1000.0;
    }
    view.derived.push_back(figure);
  }
  return view;
}

void TraceRing::Add(WaterfallView turn) {
  MutexLock lock(mutex_);
  turns_.push_back(std::move(turn));
  while (turns_.size() > capacity_) {
    turns_.pop_front();
  }
}

std::vector<WaterfallView> TraceRing::Turns() const {
  MutexLock lock(mutex_);
  return {turns_.begin(), turns_.end()};
}

std::vector<FigureSummary> TraceRing::Summary() const {
  const std::vector<WaterfallView> turns = Turns();
  std::vector<FigureSummary> summaries;
  for (size_t rule = 0; rule < kRules.size(); ++rule) {
    std::vector<double> values;
    for (const WaterfallView& turn : turns) {
      if (turn.derived[rule].value_ms.has_value()) {
        values.push_back(*turn.derived[rule].value_ms);
      }
    }
    FigureSummary summary;
    summary.name = kRules[rule].name;
    summary.count = values.size();
    summary.p50_ms = NearestRank(values, 50);
    summary.p90_ms = NearestRank(values, 90);
    summary.p99_ms = NearestRank(values, 99);
    summaries.push_back(summary);
  }
  return summaries;
}

std::optional<double> NearestRank(std::vector<double> values, double percent) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(percent / 100.0 * static_cast<double>(values.size()));
  const size_t index = static_cast<size_t>(std::max(1.0, rank)) - 1;
  return values[std::min(index, values.size() - 1)];
}

}  // namespace sotto
