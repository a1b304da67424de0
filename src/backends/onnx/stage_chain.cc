#include "backends/onnx/stage_chain.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"

namespace sotto {
namespace {

int64_t FloorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// The first input sample that output sample `t` looks at.
int64_t FirstInput(const Reach& reach, int64_t t) {
  return std::max<int64_t>(0, FloorDiv(t - reach.left, reach.rate));
}

// One past the last input sample that output sample `t` looks at.
int64_t EndInput(const Reach& reach, int64_t t) {
  return FloorDiv(t + reach.right, reach.rate) + 1;
}

// Columns begin..end of `data`, [channels, length], and then `zeros` zero columns into `out`,
// [channels, end - begin + zeros].
void CopyColumns(std::span<const float> data, int64_t length, int64_t begin, int64_t end,
                 int64_t zeros, std::vector<float>& out) {
  const int64_t channels = std::ssize(data) / length;
  const int64_t width = end - begin + zeros;
  out.assign(static_cast<size_t>(channels * width), 0.0f);
  for (int64_t c = 0; c < channels; ++c) {
    std::copy_n(data.begin() + c * length + begin, end - begin, out.begin() + c * width);
  }
}

}  // namespace

StageChain::StageChain(std::vector<ChainStage> stages, int64_t total_frames, int64_t channels,
                       Source source)
    : stages_(std::move(stages)), inputs_(stages_.size()), source_(std::move(source)) {
  SOTTO_DCHECK(!stages_.empty() && total_frames > 0 && channels > 0);
  inputs_[0].channels = channels;
  totals_.push_back(total_frames);
  for (const ChainStage& stage : stages_) {
    totals_.push_back(totals_.back() * stage.reach.rate);
  }
}

void StageChain::DropBefore(Buffer& buffer, int64_t begin) {
  const int64_t keep_from = std::min(begin, buffer.end);
  if (keep_from <= buffer.begin || buffer.channels == 0) {
    return;
  }
  std::vector<float> kept;
  if (keep_from < buffer.end) {
    CopyColumns(buffer.data, buffer.end - buffer.begin, keep_from - buffer.begin,
                buffer.end - buffer.begin, 0, kept);
  }
  buffer.data = std::move(kept);
  buffer.begin = keep_from;
}

void StageChain::Append(Buffer& buffer, const Buffer& more) {
  const int64_t old_width = buffer.end - buffer.begin;
  const int64_t more_width = more.end - more.begin;
  if (old_width == 0) {
    buffer = more;
    return;
  }
  std::vector<float> joined(static_cast<size_t>(buffer.channels * (old_width + more_width)));
  for (int64_t c = 0; c < buffer.channels; ++c) {
    auto out = joined.begin() + c * (old_width + more_width);
    out = std::copy_n(buffer.data.begin() + c * old_width, old_width, out);
    std::copy_n(more.data.begin() + c * more_width, more_width, out);
  }
  buffer.data = std::move(joined);
  buffer.end = more.end;
}

Status StageChain::Ensure(size_t stage, int64_t end, const CancelToken& cancel) {
  Buffer& buffer = inputs_[stage];
  const int64_t wanted = std::min(end, totals_[stage]);
  if (buffer.end >= wanted) {
    return OkStatus();
  }
  if (stage > 0) {
    SOTTO_ASSIGN_OR_RETURN(const Buffer more, RunStage(stage - 1, buffer.end, wanted, cancel));
    Append(buffer, more);
    return OkStatus();
  }
  Buffer more{buffer.end, wanted, buffer.channels, {}};
  more.data.resize(static_cast<size_t>(more.channels * (more.end - more.begin)));
  source_(more.begin, more.end, more.data);
  Append(buffer, more);
  return OkStatus();
}

// Where a run over first..end begins: earlier if it would be short.
int64_t StageChain::WindowBegin(size_t stage, int64_t first, int64_t end) const {
  return std::clamp<int64_t>(end - stages_[stage].min_input, 0, first);
}

Result<StageChain::Buffer> StageChain::RunStage(size_t stage, int64_t begin, int64_t end,
                                                const CancelToken& cancel) {
  const Reach& reach = stages_[stage].reach;
  const int64_t to = std::min(totals_[stage], EndInput(reach, end - 1));
  SOTTO_RETURN_IF_ERROR(Ensure(stage, to, cancel));
  SOTTO_RETURN_IF_ERROR(cancel.Check());
  Buffer& input = inputs_[stage];
  const int64_t from = WindowBegin(stage, FirstInput(reach, begin), to);
  // Zeros stand for the future where the run would be short; nothing that is kept sees them.
  const int64_t padded_to = std::max(to, std::min(totals_[stage], from + stages_[stage].min_input));
  SOTTO_DCHECK(input.begin <= from && to <= input.end);
  std::vector<float> window;
  CopyColumns(input.data, input.end - input.begin, from - input.begin, to - input.begin,
              padded_to - to, window);
  SOTTO_ASSIGN_OR_RETURN(const Tensor output, stages_[stage].run(window, padded_to - from));
  const int64_t length = (padded_to - from) * reach.rate;
  const int64_t count = std::ssize(output.values());
  if (count == 0 || count % length != 0) {
    return InternalError("voice stage " + std::to_string(stage) + ": " + std::to_string(count) +
                         " values for a window of " + std::to_string(length));
  }
  Buffer made{begin, end, count / length, {}};
  CopyColumns(output.values(), length, begin - from * reach.rate, end - from * reach.rate, 0,
              made.data);
  DropBefore(input, WindowBegin(stage, FirstInput(reach, end), to));
  return made;
}

Result<std::vector<float>> StageChain::Next(int64_t frames, const CancelToken& cancel) {
  if (done()) {
    return std::vector<float>();
  }
  const int64_t samples_per_frame = totals_.back() / totals_.front();
  const int64_t end = std::min(totals_.back(), produced_ + frames * samples_per_frame);
  SOTTO_ASSIGN_OR_RETURN(Buffer made, RunStage(stages_.size() - 1, produced_, end, cancel));
  if (made.channels != 1) {
    return InternalError("voice: " + std::to_string(made.channels) + " channels of audio");
  }
  produced_ = end;
  return std::move(made.data);
}

}  // namespace sotto
