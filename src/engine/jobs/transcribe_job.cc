#include "engine/jobs/transcribe_job.h"

#include <algorithm>
#include <utility>

#include "engine/jobs/sense.h"
#include "text/utf8.h"

namespace sotto {
namespace {

// Audio that may wait unheard, in seconds.
constexpr int32_t kMaxUnheardS = 30;
constexpr size_t kReadSamples = 4096;
// A clip in which the recogniser ran in a loop may hold speech that repeats itself, which the guard
// against loops would cut short. Its halves are heard apart, down to this length, in which nobody
// says a phrase often enough to be taken for a loop.
constexpr int64_t kMinHalvedMs = 6000;
// Arrival times kept: over a minute of 10 ms pieces.
constexpr ptrdiff_t kMaxArrivals = 8192;

}  // namespace

Result<std::unique_ptr<TranscribeJob>> TranscribeJob::Create(EngineContext& context,
                                                             std::shared_ptr<LoadedModel> asr,
                                                             std::shared_ptr<LoadedModel> vad,
                                                             TranscribeOptions options) {
  const int32_t asr_rate_hz = asr->asr->info().rate_hz;
  if (vad->vad->rate_hz() != asr_rate_hz) {
    return InvalidArgumentError("transcribe: " + vad->id + " works at " +
                                std::to_string(vad->vad->rate_hz()) + " Hz and " + asr->id +
                                " at " + std::to_string(asr_rate_hz) + "; choose another");
  }
  if (!options.language.empty() &&
      std::ranges::find(asr->asr->info().languages, options.language) ==
          asr->asr->info().languages.end()) {
    return InvalidArgumentError("transcribe: language " + options.language + ": unknown to " +
                                asr->id + "; 'sotto show " + asr->id + "' lists its languages");
  }
  if (options.prompt.size() > kMaxAsrPromptBytes) {
    return InvalidArgumentError("transcribe: prompt: " + std::to_string(options.prompt.size()) +
                                " bytes: at most " + std::to_string(kMaxAsrPromptBytes) +
                                "; give names and words, not sentences");
  }
  if (const size_t bad = ValidateUtf8(options.prompt); bad != kValidUtf8) {
    return InvalidArgumentError("transcribe: prompt: not UTF-8 at byte " + std::to_string(bad) +
                                "; convert it");
  }
  std::unique_ptr<Resampler> resampler;
  if (options.rate_hz != asr_rate_hz) {
    SOTTO_ASSIGN_OR_RETURN(resampler, context.MakeResampler(options.rate_hz, asr_rate_hz));
  }
  ClipPolicy policy;
  VadSegmenterOptions segmenter;
  if (options.profile == AsrProfile::kFast) {
    policy.join_gap_ms = 0;  // live: what is said is settled at each pause
  }
  policy.partial_every_ms = options.partials ? 700 : 0;
  auto cutter = std::make_unique<ClipCutter>(vad->vad->NewStream(), segmenter, policy);
  return std::unique_ptr<TranscribeJob>(new TranscribeJob(context, std::move(asr), std::move(vad),
                                                          std::move(options), std::move(resampler),
                                                          std::move(cutter)));
}

TranscribeJob::TranscribeJob(EngineContext& context, std::shared_ptr<LoadedModel> asr,
                             std::shared_ptr<LoadedModel> vad, TranscribeOptions options,
                             std::unique_ptr<Resampler> resampler,
                             std::unique_ptr<ClipCutter> cutter)
    : context_(context),
      asr_(std::move(asr)),
      vad_(std::move(vad)),
      options_(std::move(options)),
      asr_rate_hz_(asr_->asr->info().rate_hz),
      heard_(static_cast<size_t>(asr_rate_hz_) * kMaxUnheardS),
      events_(1),
      resampler_(std::move(resampler)),
      cutter_(std::move(cutter)) {
  worker_ = std::thread(&TranscribeJob::Run, this);
}

TranscribeJob::~TranscribeJob() {
  Cancel(CancelReason::kShutdown);
  worker_.join();
}

Status TranscribeJob::Feed(std::span<const float> interleaved) {
  SOTTO_RETURN_IF_ERROR(cancel_.token().Check());
  {
    MutexLock lock(mutex_);
    if (input_finished_) {
      return FailedPreconditionError("transcribe: the audio was finished; make a new transcriber");
    }
  }
  MixToMono(interleaved, static_cast<size_t>(options_.channels), &mono_);
  std::vector<float> block;
  if (resampler_ == nullptr) {
    block = mono_;
  } else {
    SOTTO_RETURN_IF_ERROR(AppendResampled(*resampler_, mono_, &block));
  }
  fed_frames_ += static_cast<int64_t>(mono_.size());
  {
    MutexLock lock(mutex_);
    arrivals_.emplace_back(fed_frames_ * asr_rate_hz_ / options_.rate_hz, context_.NowUs());
    if (arrivals_.size() > 2 * kMaxArrivals) {
      arrivals_.erase(arrivals_.begin(), arrivals_.begin() + kMaxArrivals);
    }
  }
  return heard_.Push(std::move(block)) ? OkStatus() : cancel_.token().Check();
}

Status TranscribeJob::Finish() {
  MutexLock lock(mutex_);
  if (input_finished_) {
    return OkStatus();
  }
  input_finished_ = true;
  heard_.Close(OkStatus());
  return OkStatus();
}

void TranscribeJob::Run() {
  Status status = Listen();
  heard_.Interrupt(status.ok() ? OkStatus() : status);  // a feeder may be waiting
  done_ = true;
  events_.Close(std::move(status));
}

Status TranscribeJob::Listen() {
  std::vector<float> block(kReadSamples);
  for (bool is_end = false; !is_end;) {
    const AudioQueue::ReadResult read = heard_.Read(block, -1);
    SOTTO_RETURN_IF_ERROR(cancel_.token().Check());
    SOTTO_ASSIGN_OR_RETURN(const std::vector<ClipEvent> events,
                           cutter_->Feed(std::span(block).first(read.num_samples)));
    SOTTO_RETURN_IF_ERROR(Handle(events));
    is_end = read.is_end;
  }
  if (resampler_ != nullptr) {
    std::vector<float> rest;
    SOTTO_RETURN_IF_ERROR(AppendFlushed(*resampler_, &rest));
    SOTTO_ASSIGN_OR_RETURN(const std::vector<ClipEvent> events, cutter_->Feed(rest));
    SOTTO_RETURN_IF_ERROR(Handle(events));
  }
  SOTTO_ASSIGN_OR_RETURN(const std::vector<ClipEvent> events, cutter_->Finish());
  return Handle(events);
}

Status TranscribeJob::Handle(const std::vector<ClipEvent>& events) {
  for (const ClipEvent& event : events) {
    switch (event.type) {
      case ClipEvent::Type::kSpeechStarted:
        Emit({.type = TranscriptEvent::Type::kSpeechStarted,
              .start_ms = ToMs(event.sample),
              .end_ms = ToMs(event.sample),
              .heard_us = HeardUs(event.sample),
              .time_us = 0,
              .text = {},
              .status = {}});
        break;
      case ClipEvent::Type::kSpeechEnded:
        Emit({.type = TranscriptEvent::Type::kSpeechEnded,
              .start_ms = ToMs(event.sample),
              .end_ms = ToMs(event.sample),
              .heard_us = HeardUs(event.sample),
              .time_us = 0,
              .text = {},
              .status = {}});
        break;
      case ClipEvent::Type::kPartial:
        SOTTO_RETURN_IF_ERROR(Recognise(event.clip, false));
        break;
      case ClipEvent::Type::kClip:
        SOTTO_RETURN_IF_ERROR(Recognise(event.clip, true));
        break;
    }
  }
  return OkStatus();
}

Status TranscribeJob::Recognise(const SpeechClip& clip, bool is_final) {
  AsrOptions options;
  options.profile = is_final ? options_.profile : AsrProfile::kFast;
  options.language = options_.language;
  options.prompt = options_.prompt;
  options.num_threads = context_.num_threads();
  const bool can_halve = is_final && ToMs(static_cast<int64_t>(clip.samples.size())) > kMinHalvedMs;
  options.stop_at_loop = can_halve;
  AsrResult result;
  {
    SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                           context_.gate().Enter(ComputePriority::kEars, cancel_.token()));
    SOTTO_ASSIGN_OR_RETURN(result, asr_->asr->Recognise(clip.samples, options, cancel_.token()));
  }
  if (can_halve && result.retried) {
    return RecogniseHalves(clip);
  }
  TranscriptEvent event;
  event.heard_us = HeardUs(clip.end_sample());
  const int64_t offset_ms = ToMs(clip.start_sample);
  const int64_t end_ms = ToMs(clip.end_sample());
  if (!is_final) {
    event.type = TranscriptEvent::Type::kPartial;
    event.start_ms = offset_ms;
    event.end_ms = end_ms;
    for (const AsrSegment& segment : result.segments) {
      event.text += (event.text.empty() ? "" : " ") + segment.text;
    }
    Emit(std::move(event));
    return OkStatus();
  }
  for (AsrSegment& segment : result.segments) {
    if (segment.text.empty()) {
      continue;
    }
    event.type = TranscriptEvent::Type::kSegment;
    event.start_ms = std::min(offset_ms + segment.start_ms, end_ms);
    event.end_ms = std::min(offset_ms + segment.end_ms, end_ms);
    event.text = std::move(segment.text);
    Emit(event);
  }
  return OkStatus();
}

Status TranscribeJob::RecogniseHalves(const SpeechClip& clip) {
  const size_t length = clip.samples.size();
  const size_t cut = QuietestSample(clip.samples, length / 3, length - length / 3, asr_rate_hz_);
  const auto middle = clip.samples.begin() + static_cast<ptrdiff_t>(cut);
  SpeechClip first{clip.start_sample, {clip.samples.begin(), middle}};
  SpeechClip second{clip.start_sample + static_cast<int64_t>(cut), {middle, clip.samples.end()}};
  SOTTO_RETURN_IF_ERROR(Recognise(first, true));
  return Recognise(second, true);
}

int64_t TranscribeJob::ToMs(int64_t sample) const { return sample * 1000 / asr_rate_hz_; }

int64_t TranscribeJob::HeardUs(int64_t sample) const {
  MutexLock lock(mutex_);
  const auto arrival =
      std::ranges::lower_bound(arrivals_, sample, {}, &std::pair<int64_t, int64_t>::first);
  if (arrival != arrivals_.end()) {
    return arrival->second;
  }
  return arrivals_.empty() ? context_.NowUs() : arrivals_.back().second;
}

void TranscribeJob::Emit(TranscriptEvent event) {
  event.time_us = context_.NowUs();
  // Only the newest partial counts; everything else is kept for a reader that is late.
  events_.PushMerged(std::move(event), [](TranscriptEvent& back, TranscriptEvent& item) {
    const bool replaces = back.type == TranscriptEvent::Type::kPartial &&
                          (item.type == TranscriptEvent::Type::kPartial ||
                           item.type == TranscriptEvent::Type::kSegment);
    if (replaces) {
      back = std::move(item);
    }
    return replaces;
  });
}

TranscriptEvent TranscribeJob::Next(int64_t timeout_ms) {
  Popped<TranscriptEvent> popped = events_.Pop(timeout_ms);
  if (popped.item.has_value()) {
    return *std::move(popped.item);
  }
  TranscriptEvent event;
  if (popped.closed) {
    event.type = TranscriptEvent::Type::kDone;
    event.status = std::move(popped.end);
  }
  return event;
}

void TranscribeJob::Cancel(CancelReason reason) {
  cancel_.Cancel(reason);
  heard_.Interrupt(cancel_.token().Check());
  events_.Interrupt(cancel_.token().Check());
}

}  // namespace sotto
