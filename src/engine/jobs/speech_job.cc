#include "engine/jobs/speech_job.h"

#include <algorithm>
#include <utility>

#include "text/normalizer.h"

namespace sotto {

Result<std::unique_ptr<SpeechJob>> SpeechJob::Create(EngineContext& context,
                                                     std::shared_ptr<LoadedModel> model,
                                                     SpeechOptions options) {
  const TtsInfo& info = model->tts->info();
  if (!options.voice.empty() &&
      std::ranges::find(info.voices, options.voice) == info.voices.end()) {
    std::string message = "speak: voice " + options.voice + ": unknown to " + model->id + "; try";
    for (size_t i = 0; i < std::min<size_t>(info.voices.size(), 5); ++i) {
      message += (i > 0 ? ", " : " ") + info.voices[i];
    }
    return NotFoundError(std::move(message));
  }
  if (!(options.speed >= 0.5f && options.speed <= 2.0f)) {
    return InvalidArgumentError("speak: speed " + std::to_string(options.speed) +
                                ": out of range; give 0.5 to 2");
  }
  const int32_t rate_hz = options.rate_hz > 0 ? options.rate_hz : info.rate_hz;
  std::unique_ptr<Resampler> resampler;
  if (rate_hz != info.rate_hz) {
    SOTTO_ASSIGN_OR_RETURN(resampler, context.MakeResampler(info.rate_hz, rate_hz));
  }
  return std::unique_ptr<SpeechJob>(
      new SpeechJob(context, std::move(model), std::move(options), rate_hz, std::move(resampler)));
}

SpeechJob::SpeechJob(EngineContext& context, std::shared_ptr<LoadedModel> model,
                     SpeechOptions options, int32_t rate_hz, std::unique_ptr<Resampler> resampler)
    : context_(context),
      model_(std::move(model)),
      options_(std::move(options)),
      rate_hz_(rate_hz),
      phrases_(2),
      audio_(static_cast<size_t>(rate_hz) * static_cast<size_t>(options_.queue_ms) / 1000),
      resampler_(std::move(resampler)) {
  worker_ = std::thread(&SpeechJob::Run, this);
}

SpeechJob::~SpeechJob() {
  Cancel(CancelReason::kShutdown);
  worker_.join();
}

Status SpeechJob::PushText(std::string_view text) {
  MutexLock lock(mutex_);
  if (text_finished_) {
    return FailedPreconditionError("speak: the text was finished; make a new speech");
  }
  std::string whole = unfinished_;
  whole += text;
  const size_t num_whole = WholeCharactersPrefix(whole);
  const size_t bad = ValidateUtf8(std::string_view(whole).substr(0, num_whole));
  if (bad != kValidUtf8) {
    const size_t in_call = bad - std::min(bad, unfinished_.size());
    return InvalidArgumentError("speak: text: not UTF-8 at byte " + std::to_string(in_call) +
                                "; give UTF-8 text");
  }
  unfinished_ = whole.substr(num_whole);
  whole.resize(num_whole);
  Queue(chunker_.Feed(filter_.Feed(whole)));
  return OkStatus();
}

Status SpeechJob::Finish() {
  MutexLock lock(mutex_);
  if (text_finished_) {
    return OkStatus();
  }
  text_finished_ = true;
  Queue(chunker_.Feed(filter_.Finish()));
  Queue(chunker_.Finish());
  phrases_.Close(OkStatus());
  if (!unfinished_.empty()) {
    return FailedPreconditionError("speak: text: ends inside a character; give whole characters");
  }
  return OkStatus();
}

void SpeechJob::Queue(const std::vector<Phrase>& phrases) {
  for (const Phrase& phrase : phrases) {
    // The text is in memory already, so waiting phrases cost nothing that has no bound.
    phrases_.PushAlways({phrase.text, filter_.SourceOffset(phrase.begin_bytes),
                         filter_.SourceOffset(phrase.end_bytes)});
  }
}

void SpeechJob::Run() {
  Status status = SpeakAll();
  done_ = true;
  audio_.Close(std::move(status));
}

Status SpeechJob::SpeakAll() {
  for (;;) {
    const Popped<SourcePhrase> popped = phrases_.Pop(-1);
    SOTTO_RETURN_IF_ERROR(cancel_.token().Check());
    if (popped.closed) {
      break;
    }
    SOTTO_RETURN_IF_ERROR(SpeakOne(*popped.item));
  }
  if (resampler_ != nullptr) {
    std::vector<float> rest;
    SOTTO_RETURN_IF_ERROR(AppendFlushed(*resampler_, &rest));
    return Deliver(std::move(rest));
  }
  return OkStatus();
}

Status SpeechJob::SpeakOne(const SourcePhrase& phrase) {
  {
    MutexLock lock(mutex_);
    spoken_.push_back({phrase.begin_bytes, phrase.end_bytes, delivered_samples_, 0, {}});
    if (spoken_.size() == 1 && options_.on_first_phrase) {
      options_.on_first_phrase();
    }
  }
  TtsRequest request;
  request.text = NormalizeForSpeech(phrase.text);
  request.voice = options_.voice;
  request.speed = options_.speed;
  request.seed = options_.seed;
  Result<std::unique_ptr<TtsStream>> begun = BeginPhrase(request);
  if (!begun.ok() && begun.status().code() == Code::kInvalidArgument && options_.skip_unreadable) {
    context_.log().Write(LogLevel::kWarning,
                         "speak: a phrase was left out: the voice cannot read it");
    MutexLock lock(mutex_);
    spoken_.back().end_samples = delivered_samples_;
    return OkStatus();
  }
  SOTTO_ASSIGN_OR_RETURN(const std::unique_ptr<TtsStream> stream, std::move(begun));
  for (bool is_last = false; !is_last;) {
    SOTTO_ASSIGN_OR_RETURN(TtsBlock block, NextBlock(*stream));
    is_last = block.is_last;
    TakeMarks(*stream, request.text.size());
    if (resampler_ != nullptr) {
      std::vector<float> resampled;
      SOTTO_RETURN_IF_ERROR(AppendResampled(*resampler_, block.samples, &resampled));
      block.samples = std::move(resampled);
    }
    SOTTO_RETURN_IF_ERROR(Deliver(std::move(block.samples)));
  }
  MutexLock lock(mutex_);
  spoken_.back().end_samples = delivered_samples_;
  return OkStatus();
}

Result<std::unique_ptr<TtsStream>> SpeechJob::BeginPhrase(const TtsRequest& request) {
  SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                         context_.gate().Enter(ComputePriority::kMouth, cancel_.token()));
  return model_->tts->Speak(request, cancel_.token());
}

Result<TtsBlock> SpeechJob::NextBlock(TtsStream& stream) {
  SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                         context_.gate().Enter(ComputePriority::kMouth, cancel_.token()));
  return stream.Next();
}

void SpeechJob::TakeMarks(const TtsStream& stream, size_t text_bytes) {
  const std::span<const TtsMark> marks = stream.marks();
  MutexLock lock(mutex_);
  auto& known = spoken_.back().marks;
  for (size_t i = known.size(); i < marks.size() && text_bytes > 0; ++i) {
    known.emplace_back(
        static_cast<uint64_t>(marks[i].start_sample) * static_cast<uint64_t>(rate_hz_) /
            static_cast<uint64_t>(model_->tts->info().rate_hz),
        static_cast<double>(marks[i].text_offset_bytes) / static_cast<double>(text_bytes));
  }
}

Status SpeechJob::Deliver(std::vector<float> samples) {
  if (samples.empty()) {
    return OkStatus();
  }
  const bool is_first = delivered_samples_ == 0;
  delivered_samples_ += samples.size();
  if (is_first && options_.on_first_audio) {
    options_.on_first_audio();
  }
  return audio_.Push(std::move(samples)) ? OkStatus() : cancel_.token().Check();
}

AudioQueue::ReadResult SpeechJob::Read(std::span<float> out, int64_t timeout_ms) {
  return audio_.Read(out, timeout_ms);
}

uint64_t SpeechJob::SpokenBytes(uint64_t num_samples) const {
  MutexLock lock(mutex_);
  uint64_t bytes = 0;
  for (const SpokenPhrase& phrase : spoken_) {
    if (num_samples <= phrase.begin_samples) {
      break;
    }
    if (phrase.end_samples != 0 && num_samples >= phrase.end_samples) {
      bytes = phrase.end_bytes;
      continue;
    }
    // Within the phrase: by the voice's marks; without any by share of its samples; while its
    // length is unknown too, its beginning.
    const uint64_t within = num_samples - phrase.begin_samples;
    double share = 0.0;
    if (!phrase.marks.empty()) {
      for (const auto& [sample, share_from] : phrase.marks) {
        share = within >= sample ? share_from : share;
      }
    } else if (phrase.end_samples != 0) {
      share = static_cast<double>(within) /
              static_cast<double>(phrase.end_samples - phrase.begin_samples);
    }
    bytes =
        phrase.begin_bytes +
        static_cast<uint64_t>(share * static_cast<double>(phrase.end_bytes - phrase.begin_bytes));
    break;
  }
  return bytes;
}

void SpeechJob::Cancel(CancelReason reason) {
  cancel_.Cancel(reason);
  phrases_.Interrupt(cancel_.token().Check());
  audio_.Interrupt(cancel_.token().Check());
}

}  // namespace sotto
