// A chain of stages with finite reach, run window by window, equal to running each stage once
// over everything.
//
// Each stage keeps the part of its input that it still needs, so a window costs the new samples
// plus the edges of each stage alone, and not the edges of the whole chain at every stage.
#ifndef SOTTO_BACKENDS_ONNX_STAGE_CHAIN_H_
#define SOTTO_BACKENDS_ONNX_STAGE_CHAIN_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backends/onnx/reach.h"
#include "backends/onnx/session.h"
#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

struct ChainStage {
  Reach reach;
  // A run gets at least this many input samples (or all there are): more of the past, or zeros
  // after what is known. A runtime whose sums depend on a run's length is kept to one order.
  int64_t min_input = 1;
  // Maps [channels, length] to [other channels, length * reach.rate]; the channels are the
  // tensor's values over that length.
  std::function<Result<Tensor>(std::span<const float> input, int64_t length)> run;
};

// Used from one thread at a time.
class StageChain {
 public:
  // Fills `out`, [channels, end - begin], with the first stage's input at begin..end. Called once
  // for each sample, in order.
  using Source = std::function<void(int64_t begin, int64_t end, std::span<float> out)>;

  // REQUIRES: at least one stage, total_frames and channels above 0.
  StageChain(std::vector<ChainStage> stages, int64_t total_frames, int64_t channels, Source source);

  // Samples of the last stage for the next `frames` (1..) of the first stage's input, fewer at
  // the end; empty once done(). The last stage must have one channel. CANCELLED before the next
  // stage runs; the chain then stays where it was.
  Result<std::vector<float>> Next(int64_t frames, const CancelToken& cancel);

  bool done() const { return produced_ == totals_.back(); }
  int64_t total_samples() const { return totals_.back(); }
  int64_t produced_samples() const { return produced_; }

 private:
  // Samples begin..end of a stage's input, [channels, end - begin].
  struct Buffer {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t channels = 0;
    std::vector<float> data;
  };

  Status Ensure(size_t stage, int64_t end, const CancelToken& cancel);
  Result<Buffer> RunStage(size_t stage, int64_t begin, int64_t end, const CancelToken& cancel);
  static void Append(Buffer& buffer, const Buffer& more);
  static void DropBefore(Buffer& buffer, int64_t begin);
  int64_t WindowBegin(size_t stage, int64_t first, int64_t end) const;

  std::vector<ChainStage> stages_;
  std::vector<Buffer> inputs_;   // one per stage
  std::vector<int64_t> totals_;  // length of each stage's input, then of the output
  Source source_;
  int64_t produced_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_STAGE_CHAIN_H_
