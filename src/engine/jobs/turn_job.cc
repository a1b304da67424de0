#include "engine/jobs/turn_job.h"

#include <utility>

namespace sotto {

Result<std::unique_ptr<TurnJob>> TurnJob::Create(EngineContext& context, TurnModels models,
                                                 TurnOptions options,
                                                 const VoiceLoader& load_voice) {
  SOTTO_ASSIGN_OR_RETURN(
      std::unique_ptr<TranscribeJob> transcribe,
      TranscribeJob::Create(context, models.asr, models.vad, options.transcribe));
  SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<GenerationJob> generation,
                         GenerationJob::Create(context, models.text, options.generation));
  std::unique_ptr<TurnJob> job(new TurnJob(context, std::move(models), std::move(options),
                                           std::move(transcribe), std::move(generation)));
  job->worker_ = std::thread(&TurnJob::Run, job.get());
  if (load_voice) {
    SOTTO_ASSIGN_OR_RETURN(job->models_.tts, load_voice());
  }
  SOTTO_RETURN_IF_ERROR(job->MakeSpeech());
  job->created_.PushAlways(true);
  return job;
}

TurnJob::TurnJob(EngineContext& context, TurnModels models, TurnOptions options,
                 std::unique_ptr<TranscribeJob> transcribe,
                 std::unique_ptr<GenerationJob> generation)
    : context_(context),
      models_(std::move(models)),
      options_(std::move(options)),
      turn_id_(context.NextTurnId()),
      transcribe_(std::move(transcribe)),
      generation_(std::move(generation)),
      created_(1),
      events_(1),
      question_(1) {}

Status TurnJob::MakeSpeech() {
  if (models_.tts == nullptr) {
    return OkStatus();
  }
  SpeechOptions options = options_.speech;
  options.queue_ms = 10 * 60 * 1000;  // a host that reads events first loses nothing
  options.skip_unreadable = true;     // one foreign word of a reply does not silence the rest
  options.on_first_phrase = [this] { Mark(Checkpoint::kPhrase1ToTts); };
  options.on_first_audio = [this] {
    Mark(Checkpoint::kTtsFirstAudioChunk);
    Emit(TurnEvent::Type::kAudioStarted, "");
  };
  SOTTO_ASSIGN_OR_RETURN(speech_, SpeechJob::Create(context_, models_.tts, std::move(options)));
  return OkStatus();
}

TurnJob::~TurnJob() {
  Cancel(CancelReason::kShutdown);
  created_.PushAlways(false);
  if (worker_.joinable()) {
    worker_.join();
  }
  speech_.reset();  // its thread marks this waterfall
}

Status TurnJob::PushAudio(std::span<const float> interleaved) {
  {
    MutexLock lock(mutex_);
    if (input_finished_) {
      return FailedPreconditionError("turn: the question has ended; make a new turn");
    }
    if (!has_audio_) {
      has_audio_ = true;
      waterfall_ = std::make_unique<Waterfall>(turn_id_, context_.NowUs());
      question_.Close(OkStatus());
    }
  }
  return transcribe_->Feed(interleaved);
}

Status TurnJob::PushText(std::string_view text) {
  MutexLock lock(mutex_);
  if (has_audio_ || input_finished_) {
    return FailedPreconditionError("turn: the question was given; make a new turn");
  }
  input_finished_ = true;
  waterfall_ = std::make_unique<Waterfall>(turn_id_, context_.NowUs());
  question_.PushAlways(std::string(text));
  question_.Close(OkStatus());
  return OkStatus();
}

Status TurnJob::Finish() {
  MutexLock lock(mutex_);
  if (input_finished_) {
    return OkStatus();
  }
  input_finished_ = true;
  if (waterfall_ == nullptr) {
    waterfall_ = std::make_unique<Waterfall>(turn_id_, context_.NowUs());
  }
  question_.Close(OkStatus());
  return transcribe_->Finish();
}

void TurnJob::Run() {
  // The opening of the prompt is computed while the voice loads and the user still speaks.
  Status status = generation_->Prewarm();
  if (!created_.Pop(-1).item.value_or(false)) {
    return;  // nobody came to know of this turn
  }
  if (status.ok()) {
    status = Answer();
  }
  if (!status.ok()) {
    transcribe_->Cancel(CancelReason::kError);
    generation_->Cancel(CancelReason::kError);
    if (speech_ != nullptr) {
      speech_->Cancel(CancelReason::kError);
    }
  }
  context_.traces().Add(Trace());
  done_ = true;
  events_.Close(std::move(status));
}

Status TurnJob::Answer() {
  SOTTO_ASSIGN_OR_RETURN(std::string question, Question());
  if (!question.empty()) {
    Mark(Checkpoint::kCommit);
  }
  Emit(TurnEvent::Type::kTranscript, question);
  if (!question.empty()) {
    SOTTO_RETURN_IF_ERROR(Reply(std::move(question)));
  }
  return speech_ == nullptr ? OkStatus() : speech_->Finish();
}

Result<std::string> TurnJob::Question() {
  Popped<std::string> written = question_.Pop(-1);
  SOTTO_RETURN_IF_ERROR(cancel_.token().Check());
  if (written.item.has_value()) {
    return *std::move(written.item);
  }
  return Listen();
}

Result<std::string> TurnJob::Listen() {
  std::string transcript;
  for (;;) {
    const TranscriptEvent event = transcribe_->Next(-1);
    if (event.type == TranscriptEvent::Type::kDone) {
      SOTTO_RETURN_IF_ERROR(event.status);
      break;
    }
    OnTranscriptEvent(event, &transcript);
  }
  if (speech_end_us_.has_value()) {
    MarkAt(Checkpoint::kUserSpeechEnd, *speech_end_us_);
    MarkAt(Checkpoint::kSoftEnd, *soft_end_us_);
    MarkAt(Checkpoint::kAsrFinal, asr_final_us_.value_or(context_.NowUs()));
  }
  return transcript;
}

void TurnJob::OnTranscriptEvent(const TranscriptEvent& event, std::string* transcript) {
  const auto mark_once = [&](Checkpoint checkpoint, int64_t time_us) {
    MutexLock lock(mutex_);
    if (!waterfall_->has(checkpoint)) {
      waterfall_->Mark(checkpoint, time_us);
    }
  };
  switch (event.type) {
    case TranscriptEvent::Type::kSpeechStarted:
      mark_once(Checkpoint::kVadTrigger, event.heard_us);
      mark_once(Checkpoint::kVadSpeechStart, event.time_us);
      break;
    case TranscriptEvent::Type::kSpeechEnded:
      speech_end_us_ = event.heard_us;
      soft_end_us_ = event.time_us;
      break;
    case TranscriptEvent::Type::kPartial:
      mark_once(Checkpoint::kAsrFirstPartial, event.time_us);
      break;
    case TranscriptEvent::Type::kSegment:
      *transcript += (transcript->empty() ? "" : " ") + event.text;
      asr_final_us_ = event.time_us;
      break;
    default:
      break;
  }
}

Status TurnJob::Reply(std::string question) {
  SOTTO_RETURN_IF_ERROR(generation_->PushMessage({ChatRole::kUser, std::move(question)}));
  const int64_t started_us = context_.NowUs();
  SOTTO_RETURN_IF_ERROR(generation_->Start());
  bool first_text = true;
  for (;;) {
    GenerationEvent event = generation_->Next(-1);
    if (event.type == GenerationEvent::Type::kDone) {
      return std::move(event.status);
    }
    if (first_text) {
      first_text = false;
      MarkAt(Checkpoint::kLlmFirstToken, started_us + generation_->stats().first_token_us);
      Mark(Checkpoint::kLlmFirstReplyTextChar);
    }
    if (speech_ != nullptr) {
      SOTTO_RETURN_IF_ERROR(speech_->PushText(event.text));
    }
    Emit(TurnEvent::Type::kReplyText, std::move(event.text));
  }
}

void TurnJob::Emit(TurnEvent::Type type, std::string text, Status status) {
  // Text and marks of one answer: bounded by max_tokens.
  events_.PushAlways({type, context_.NowUs(), std::move(text), std::move(status)});
}

TurnEvent TurnJob::Next(int64_t timeout_ms) {
  Popped<TurnEvent> popped = events_.Pop(timeout_ms);
  if (popped.item.has_value()) {
    return *std::move(popped.item);
  }
  TurnEvent event;
  event.time_us = context_.NowUs();
  if (popped.closed) {
    event.type = TurnEvent::Type::kEnded;
    event.status = std::move(popped.end);
  }
  return event;
}

AudioQueue::ReadResult TurnJob::ReadAudio(std::span<float> out, int64_t timeout_ms) {
  if (speech_ == nullptr) {
    return {.num_samples = 0, .is_end = true, .end = OkStatus()};
  }
  return speech_->Read(out, timeout_ms);
}

WaterfallView TurnJob::Trace() const {
  MutexLock lock(mutex_);
  return waterfall_ == nullptr ? Waterfall(turn_id_, context_.NowUs()).View() : waterfall_->View();
}

void TurnJob::Mark(Checkpoint checkpoint) { MarkAt(checkpoint, context_.NowUs()); }

void TurnJob::MarkAt(Checkpoint checkpoint, int64_t time_us) {
  MutexLock lock(mutex_);
  if (waterfall_ != nullptr) {
    waterfall_->Mark(checkpoint, time_us);
  }
}

void TurnJob::Cancel(CancelReason reason) {
  cancel_.Cancel(reason);
  question_.Interrupt(cancel_.token().Check());
  transcribe_->Cancel(reason);
  generation_->Cancel(reason);
  if (speech_ != nullptr) {
    speech_->Cancel(reason);
  }
}

}  // namespace sotto
