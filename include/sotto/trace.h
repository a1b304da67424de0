// sotto/trace.h - where every millisecond of a turn went.
//
// A waterfall is JSON:
//   {"turn_id", "checkpoints": [{"name", "t_ms"}], "derived": {...}, "anomalies": [...]}
// Checkpoints, in order, with t_ms from the turn's first sample or null where not reached; the
// first mark of a name wins ^W3:
//   peer-utterance-end, vad-trigger, vad-speech-start, user-speech-end, soft-end, prewarm-fired,
//   asr-first-partial, asr-final, commit, llm-first-token, llm-first-replytext-char,
//   replyText-first-emotion-tag, phrase-1-to-tts, tts-first-audio-chunk, audio-first-played,
//   audio-first-into-peer-ring
// commit: the question counts as over and goes to the language model. Of a written question that is
// once the primer has been computed, which a spoken one hides behind the speech; not reached when
// nobody spoke.
// Derived: ttft_ms, ttfa_ms and ttap_ms (from vad-trigger to the first token, the first audio
// block and the first sample played), and *_from_speech_end_ms, the same from user-speech-end,
// which is read from the samples. Anomalies name marks out of order.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_TRACE_H_
#define SOTTO_TRACE_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

// The engine's recent turns and the nearest-rank p50, p90 and p99 of each derived figure:
// {"turns": [waterfall...], "summary": {"ttft_ms": {"p50", "p90", "p99", "count"}, ...}}. [ANY]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_engine_trace_json(sotto_engine* engine,
                                                               char** out_json);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_TRACE_H_
