#include "backends/whisper/loop_guard.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace sotto::whisper {
namespace {

// Longer phrases than this repeat only at the end of a clip that the token limit cuts anyway.
constexpr size_t kMaxPeriod = 48;

// Fast English is about 4 words, 5.5 tokens with punctuation, a second; digits said singly reach 6.
constexpr int64_t kMaxTokensPerSecond = 7;
constexpr int32_t kMaxTokensBase = 12;
// Single digits with pauses of 400 ms between them are 1.3 tokens a second.
constexpr int64_t kMinTokensPerSecond = 1;
constexpr int64_t kSparseFromMs = 4000;

}  // namespace

std::vector<int32_t> TextTokens(std::span<const int32_t> ids, const TokenKinds& kinds) {
  std::vector<int32_t> text;
  std::ranges::copy_if(ids, std::back_inserter(text),
                       [&](int32_t id) { return id < kinds.end_token; });
  return text;
}

std::vector<int32_t> UntimedTokens(std::span<const int32_t> ids, const TokenKinds& kinds) {
  std::vector<int32_t> untimed;
  size_t segment_begin = 0;  // in `untimed`
  int64_t opened_ms = 0;
  for (const int32_t id : ids) {
    if (id < kinds.end_token) {
      untimed.push_back(id);
    } else if (id >= kinds.first_timestamp) {
      const int64_t at_ms = int64_t{20} * (id - kinds.first_timestamp);
      const auto num_tokens = static_cast<int64_t>(untimed.size() - segment_begin);
      if ((at_ms - opened_ms) * kMaxTokensPerSecond >= num_tokens * 1000) {
        untimed.resize(segment_begin);
      }
      segment_begin = untimed.size();
      opened_ms = at_ms;
    }
  }
  return untimed;
}

Repetition RepetitionAtEnd(std::span<const int32_t> tokens) {
  Repetition best;
  const size_t n = tokens.size();
  for (size_t period = 1; period <= std::min(kMaxPeriod, n / 2); ++period) {
    size_t equal = 0;
    while (equal + period < n && tokens[n - 1 - equal] == tokens[n - 1 - equal - period]) {
      ++equal;
    }
    const Repetition found{period, 1 + equal / period};
    if (found.repeats >= 2 && found.run_tokens() > best.run_tokens()) {
      best = found;
    }
  }
  return best;
}

int32_t MaxTextTokens(int64_t duration_ms) {
  const int64_t tokens = kMaxTokensBase + duration_ms * kMaxTokensPerSecond / 1000;
  return static_cast<int32_t>(std::min<int64_t>(tokens, 220));  // the decoder's own end is 224
}

bool IsSparse(size_t num_tokens, int64_t duration_ms) {
  return duration_ms >= kSparseFromMs &&
         static_cast<int64_t>(num_tokens) * 1000 < kMinTokensPerSecond * duration_ms;
}

bool IsLoop(const Repetition& repetition, size_t num_tokens, int64_t duration_ms) {
  if (repetition.repeats < 2) {
    return false;
  }
  // Nobody is heard to say a word 8 times, or a phrase 4 times, in one clip.
  if (repetition.repeats >= (repetition.period <= 2 ? 8U : 4U)) {
    return true;
  }
  const bool crowded = static_cast<int64_t>(num_tokens) * 1000 > 5 * duration_ms + 2000;
  if (!crowded) {
    return false;
  }
  if (repetition.period >= 4) {
    return true;
  }
  return repetition.run_tokens() >= 6;
}

float RepeatedShare(std::span<const int32_t> tokens) {
  constexpr size_t kMinTokens = 12;
  if (tokens.size() < kMinTokens) {
    return 0.0f;
  }
  std::set<std::array<int32_t, 3>> seen;
  size_t repeated = 0;
  const size_t triples = tokens.size() - 2;
  for (size_t i = 0; i < triples; ++i) {
    if (!seen.insert({tokens[i], tokens[i + 1], tokens[i + 2]}).second) {
      ++repeated;
    }
  }
  return static_cast<float>(repeated) / static_cast<float>(triples);
}

}  // namespace sotto::whisper
