// Tells a recogniser that repeats itself from a speaker who does.
//
// A decoder that lost its place writes the same words again and again, far beyond what can be said
// in the time. A speaker who repeats himself takes his time over it: what lies between timestamps
// that leave time enough to say it is not held to be a loop. Pure functions over token ids.
#ifndef SOTTO_BACKENDS_WHISPER_LOOP_GUARD_H_
#define SOTTO_BACKENDS_WHISPER_LOOP_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::whisper {

// Which ids are which: text below `end_token`, timestamps of 20 ms each from `first_timestamp` on.
struct TokenKinds {
  int32_t end_token = 0;
  int32_t first_timestamp = 0;
};

// The text tokens of `ids`.
std::vector<int32_t> TextTokens(std::span<const int32_t> ids, const TokenKinds& kinds);

// The text tokens of `ids` that stand behind the last timestamp, or between two that leave too
// little time to say them. The functions below take these.
std::vector<int32_t> UntimedTokens(std::span<const int32_t> ids, const TokenKinds& kinds);

// What `tokens` ends with: `repeats` copies of its last `period` tokens, one after the other. Of
// all periods the one with the longest run in tokens, the shortest among equals; {0, 0} if the end
// repeats nothing.
struct Repetition {
  size_t period = 0;
  size_t repeats = 0;

  size_t run_tokens() const { return period * repeats; }
};
Repetition RepetitionAtEnd(std::span<const int32_t> tokens);

// Most text tokens that can be said in `duration_ms`.
int32_t MaxTextTokens(int64_t duration_ms);

// True when so few text tokens cannot be all that was said in `duration_ms` of sound without long
// pauses: a decoder that hears the same words again and again may write them once. Never for less
// than 4 s, in which somebody may be humming.
bool IsSparse(size_t num_tokens, int64_t duration_ms);

// True when a repetition at the end can no longer be the speaker's: the second copy of a longer
// phrase, or several of a short one, when the tokens so far are already many for `duration_ms`; or
// so many copies that the duration does not matter.
bool IsLoop(const Repetition& repetition, size_t num_tokens, int64_t duration_ms);

// Share of the token triples of `tokens` that occurred before, 0..1; 0 for short input. The
// stand-in for a compression ratio: speech stays under 0.3, loops go beyond 0.5.
float RepeatedShare(std::span<const int32_t> tokens);

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_LOOP_GUARD_H_
