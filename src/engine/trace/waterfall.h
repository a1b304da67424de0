// Waterfall: the marks of one turn, and what follows from them. TraceRing: the recent turns.
//
// The first mark of a name wins; a later one is an anomaly, and so is a mark that comes before
// its forerunner. A missing mark makes every figure that needs it missing: nothing is made up.
#ifndef SOTTO_ENGINE_TRACE_WATERFALL_H_
#define SOTTO_ENGINE_TRACE_WATERFALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace sotto {

// In the order in which a turn passes them.
enum class Checkpoint : int32_t {
  kPeerUtteranceEnd = 0,
  kVadTrigger,
  kVadSpeechStart,
  kUserSpeechEnd,  // the last speech sample, as the samples tell, not when it was noticed
  kSoftEnd,
  kPrewarmFired,
  kAsrFirstPartial,
  kAsrFinal,
  kCommit,
  kLlmFirstToken,
  kLlmFirstReplyTextChar,
  kReplyTextFirstEmotionTag,
  kPhrase1ToTts,
  kTtsFirstAudioChunk,
  kAudioFirstPlayed,
  kAudioFirstIntoPeerRing,
};
inline constexpr size_t kNumCheckpoints = 16;

std::string_view CheckpointName(Checkpoint checkpoint);

struct DerivedFigure {
  std::string_view name;  // ends in _ms
  std::optional<double> value_ms;
};

struct WaterfallView {
  uint64_t turn_id = 0;
  std::array<std::optional<int64_t>, kNumCheckpoints> marks_us;  // from the turn's origin
  std::vector<DerivedFigure> derived;
  std::vector<std::string> anomalies;
};

// Any thread.
class Waterfall {
 public:
  // `origin_us` is the engine time of the turn's first sample.
  Waterfall(uint64_t turn_id, int64_t origin_us) : turn_id_(turn_id), origin_us_(origin_us) {}

  void Mark(Checkpoint checkpoint, int64_t now_us);
  bool has(Checkpoint checkpoint) const;
  WaterfallView View() const;

 private:
  const uint64_t turn_id_;
  const int64_t origin_us_;
  mutable Mutex mutex_;
  std::array<std::optional<int64_t>, kNumCheckpoints> marks_us_ SOTTO_GUARDED_BY(mutex_);
  std::vector<std::string> anomalies_ SOTTO_GUARDED_BY(mutex_);
};

struct FigureSummary {
  std::string_view name;
  size_t count = 0;  // turns that have the figure
  std::optional<double> p50_ms;
  std::optional<double> p90_ms;
  std::optional<double> p99_ms;
};

// The last `capacity` turns. Any thread.
class TraceRing {
 public:
  explicit TraceRing(size_t capacity) : capacity_(capacity) {}

  void Add(WaterfallView turn);
  std::vector<WaterfallView> Turns() const;  // oldest first
  std::vector<FigureSummary> Summary() const;

 private:
  const size_t capacity_;
  mutable Mutex mutex_;
  std::deque<WaterfallView> turns_ SOTTO_GUARDED_BY(mutex_);
};

// The nearest-rank percentile of `values`: the smallest value with at least `percent` % of the
// values at or below it. Empty input has none.
std::optional<double> NearestRank(std::vector<double> values, double percent);

}  // namespace sotto

#endif  // SOTTO_ENGINE_TRACE_WATERFALL_H_
