#include "backends/whisper/whisper_asr.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/whisper/decode_plan.h"
#include "backends/whisper/handles.h"
#include "backends/whisper/loop_guard.h"
#include "backends/whisper/speech_span.h"
#include "backends/whisper/transcript_text.h"
#include "backends/whisper/whisper_log.h"
#include "backends/whisper/whisper_mel.h"
#include "modelfiles/model_file.h"
#include "text/utf8.h"

namespace sotto {
namespace whisper {
namespace {

constexpr int64_t kMaxSamples = int64_t{30} * kRateHz;
constexpr int32_t kMaxThreads = 64;
constexpr int64_t kMarginBefore = kRateHz / 5;      // soft onsets are under the level that counts
constexpr int64_t kMarginAfter = kRateHz * 3 / 10;  // and so are endings
// A segment ends where the next one begins, as the decoder tells it, or later.
constexpr int64_t kBetweenSegments = kRateHz * 6 / 10;
constexpr std::ptrdiff_t kMinSamples = kRateHz;  // whisper.cpp refuses under 0.1 s
constexpr int32_t kBeamSize = 5;

// OpenAI's thresholds for a failed decode and for silence.
constexpr float kPoorLogprob = -1.0f;
constexpr float kNoSpeech = 0.6f;
constexpr float kLoopShare = 0.5f;

// One decode of the clip.
struct Decoded {
  std::vector<whisper_token_data> tokens;
  float avg_logprob = 0.0f;
  float least_logprob = 0.0f;  // of a token
  float no_speech_prob = 0.0f;
  bool looped = false;
  bool crowded = false;  // ran into the most tokens that fit the time
  bool sparse = false;   // far fewer tokens than the time holds

  // Repeated itself without end, or passed over what repeats.
  bool lost_count() const { return looped || crowded || sparse; }
  bool bad() const {
    return lost_count() || (avg_logprob < kPoorLogprob && no_speech_prob < kNoSpeech);
  }
};

// What the callbacks of one whisper_full() see. They may run on several threads at once.
struct Call {
  const CancelToken* cancel = nullptr;
  int64_t duration_ms = 0;
  int64_t speech_end_ms = 0;  // a timestamp 0.1 s before this one, or later, is the last token
  int32_t max_text_tokens = 0;
  TokenKinds kinds;
  int32_t vocab_tokens = 0;
};

bool OnAbort(void* user) { return static_cast<const Call*>(user)->cancel->cancelled(); }

std::vector<int32_t> IdsOf(std::span<const whisper_token_data> tokens) {
  std::vector<int32_t> ids;
  ids.reserve(tokens.size());
  for (const whisper_token_data& token : tokens) {
    ids.push_back(token.id);
  }
  return ids;
}

// Leaves only the end token to choose once a hypothesis runs in circles, so that a loop costs its
// second period and not the rest of the window.
void OnLogits(whisper_context* /*context*/, whisper_state* /*state*/,
              const whisper_token_data* tokens, int num_tokens, float* logits, void* user) {
  const Call& call = *static_cast<const Call*>(user);
  const std::vector<int32_t> ids = IdsOf({tokens, static_cast<size_t>(num_tokens)});
  const size_t num_text = TextTokens(ids, call.kinds).size();
  const bool over = static_cast<int32_t>(num_text) >= call.max_text_tokens;
  if (!over &&
      !IsLoop(RepetitionAtEnd(UntimedTokens(ids, call.kinds)), num_text, call.duration_ms)) {
    return;
  }
  std::fill(logits, logits + call.vocab_tokens, -std::numeric_limits<float>::infinity());
  logits[call.kinds.end_token] = 0.0f;
}

float LeastLogprob(std::span<const whisper_token_data> tokens, whisper_token end) {
  float least = 0.0f;
  for (const whisper_token_data& token : tokens) {
    least = token.id < end ? std::min(least, token.plog) : least;
  }
  return least;
}

float AverageLogprob(std::span<const whisper_token_data> tokens, whisper_token end) {
  double sum = 0.0;
  int32_t count = 0;
  for (const whisper_token_data& token : tokens) {
    if (token.id < end) {
      sum += token.plog;
      ++count;
    }
  }
  return count == 0 ? 0.0f : static_cast<float>(sum / count);
}

int64_t SamplesToMs(int64_t samples) { return samples * 1000 / kRateHz; }

// Times of what was decoded as times of the clip.
struct ClipTimes {
  const ShortenedClip& sound;
  int64_t offset_samples;  // of `sound` in the clip
  int64_t first_sample;    // no time lies before this one
  int64_t end_sample;      // or behind this one

  int64_t BeginMs(int64_t sound_ms) const {
    return SamplesToMs(offset_samples +
                       sound.BeginInWhole(sound_ms * kRateHz / 1000, kBetweenSegments));
  }
  int64_t EndMs(int64_t sound_ms, bool is_last) const {
    return SamplesToMs(offset_samples +
                       sound.EndInWhole(sound_ms * kRateHz / 1000, is_last ? 0 : kBetweenSegments));
  }
};

class WhisperAsr final : public Asr {
 public:
  WhisperAsr(ContextPtr context, StatePtr state)
      : context_(std::move(context)),
        state_(std::move(state)),
        end_token_(whisper_token_eot(context_.get())),
        begin_token_(whisper_token_beg(context_.get())),
        mel_(whisper_model_n_mels(context_.get())) {
    info_.architecture = "whisper";
    info_.rate_hz = kRateHz;
    info_.languages.emplace_back("en");
    if (whisper_is_multilingual(context_.get()) != 0) {
      for (int id = 0; id <= whisper_lang_max_id(); ++id) {
        const std::string_view name = whisper_lang_str(id);
        if (name != "en") {
          info_.languages.emplace_back(name);
        }
      }
    }
  }

  const AsrInfo& info() const override { return info_; }

  Result<AsrResult> Recognise(std::span<const float> samples, const AsrOptions& options,
                              const CancelToken& cancel) override {
    SOTTO_RETURN_IF_ERROR(CheckArguments(samples, options));
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    try {
      return RecogniseClip(samples, options, cancel);
    } catch (const std::bad_alloc&) {
      return ResourceExhaustedError("whisper: recognise: out of memory");
    } catch (const std::exception& e) {
      return InternalError(std::string("whisper: recognise: ") + e.what());
    }
  }

 private:
  Status CheckArguments(std::span<const float> samples, const AsrOptions& options) const {
    if (static_cast<int64_t>(samples.size()) > kMaxSamples) {
      return InvalidArgumentError("whisper: clip: " + std::to_string(samples.size()) +
                                  " samples: at most " + std::to_string(kMaxSamples) +
                                  " (30 s); cut it at a pause");
    }
    if (options.num_threads < 1 || options.num_threads > kMaxThreads) {
      return InvalidArgumentError("whisper: num_threads: " + std::to_string(options.num_threads) +
                                  ": 1 to " + std::to_string(kMaxThreads));
    }
    if (options.profile != AsrProfile::kFast && options.profile != AsrProfile::kAccurate) {
      return InvalidArgumentError("whisper: profile: not a profile");
    }
    if (options.prompt.size() > kMaxAsrPromptBytes || ValidateUtf8(options.prompt) != kValidUtf8 ||
        options.prompt.find('\0') != std::string::npos) {
      return InvalidArgumentError("whisper: prompt: " + std::to_string(options.prompt.size()) +
                                  " bytes: UTF-8 of at most " + std::to_string(kMaxAsrPromptBytes) +
                                  " bytes");
    }
    if (!options.language.empty() && std::find(info_.languages.begin(), info_.languages.end(),
                                               options.language) == info_.languages.end()) {
      return InvalidArgumentError(
          "whisper: language: " + options.language.substr(0, 16) + ": this model knows " +
          (info_.languages.size() == 1
               ? std::string("only en")
               : std::to_string(info_.languages.size()) + " others (ISO 639-1, such as en)"));
    }
    return OkStatus();
  }

  Result<AsrResult> RecogniseClip(std::span<const float> samples, const AsrOptions& options,
                                  const CancelToken& cancel) {
    const std::vector<float> clip = Sanitised(samples);
    const SampleSpan loud = LoudSpan(clip);
    if (loud.empty()) {
      return AsrResult{};
    }
    const SampleSpan part = {
        std::max<int64_t>(0, loud.begin - kMarginBefore),
        std::min<int64_t>(static_cast<int64_t>(clip.size()), loud.end + kMarginAfter)};
    const ShortenedClip sound = ShortenPauses(
        std::span(clip).subspan(static_cast<size_t>(part.begin), static_cast<size_t>(part.size())));
    SOTTO_ASSIGN_OR_RETURN(const Decoded best,
                           DecodeUntilGood(sound.samples, part.end - loud.end, options, cancel));
    AsrResult result;
    result.retried = retried_;
    if (best.no_speech_prob > kNoSpeech && best.avg_logprob < kPoorLogprob) {
      return result;
    }
    result.segments = Segments(best, {sound, part.begin, loud.begin, part.end});
    return result;
  }

  // The first decode that is not bad, or else the least bad with its loop cut off.
  // `quiet_samples` at its end are not speech.
  Result<Decoded> DecodeUntilGood(std::span<const float> sound, int64_t quiet_samples,
                                  const AsrOptions& options, const CancelToken& cancel) {
    retried_ = false;
    const std::vector<float> mel = mel_.Window(sound);
    Call call;
    call.cancel = &cancel;
    call.duration_ms = SamplesToMs(std::max(std::ssize(sound), kMinSamples));
    call.speech_end_ms = SamplesToMs(std::max(std::ssize(sound) - quiet_samples, kMinSamples));
    call.max_text_tokens = MaxTextTokens(call.duration_ms);
    call.kinds = {end_token_, begin_token_};
    call.vocab_tokens = whisper_n_vocab(context_.get());
    std::optional<Decoded> best;
    for (const Attempt& attempt : AttemptsFor(std::ssize(sound), options.profile)) {
      retried_ = best.has_value();
      SOTTO_ASSIGN_OR_RETURN(Decoded decoded, Decode(mel, attempt, options, call));
      const bool certain = decoded.least_logprob >= attempt.least_logprob;
      if (!decoded.bad() && (certain || !attempt.is_quick_look())) {
        return decoded;
      }
      if (options.stop_at_loop && decoded.lost_count()) {
        retried_ = true;
        CutLoop(decoded);
        return decoded;
      }
      if (attempt.is_quick_look()) {
        continue;
      }
      if (!best || Better(decoded, *best)) {
        best = std::move(decoded);
      }
    }
    if (best->looped || best->crowded) {
      CutLoop(*best);
    }
    return *std::move(best);
  }

  static bool Better(const Decoded& a, const Decoded& b) {
    const bool a_loops = a.looped || a.crowded;
    const bool b_loops = b.looped || b.crowded;
    return a_loops != b_loops ? b_loops : a.avg_logprob > b.avg_logprob;
  }

  // Keeps one copy of what repeats at the end.
  void CutLoop(Decoded& decoded) const {
    const Repetition loop =
        RepetitionAtEnd(UntimedTokens(IdsOf(decoded.tokens), {end_token_, begin_token_}));
    std::erase_if(decoded.tokens,
                  [this](const whisper_token_data& t) { return t.id >= end_token_; });
    if (loop.repeats >= 2) {
      decoded.tokens.resize(decoded.tokens.size() - loop.period * (loop.repeats - 1));
    }
  }

  Result<Decoded> Decode(std::span<const float> mel, const Attempt& attempt,
                         const AsrOptions& options, Call& call) {
    whisper_full_params params = Params(attempt, options);
    params.duration_ms = static_cast<int>(call.speech_end_ms);
    params.abort_callback = OnAbort;
    params.abort_callback_user_data = &call;
    params.logits_filter_callback = OnLogits;
    params.logits_filter_callback_user_data = &call;

    // Sampling draws from a generator inside the state: a new state makes calls repeatable.
    StatePtr fresh;
    if (attempt.temperature > 0.0f) {
      fresh.reset(whisper_init_state(context_.get()));
      if (!fresh) {
        return ResourceExhaustedError("whisper: new state: not enough memory");
      }
    }
    whisper_state* state = fresh ? fresh.get() : state_.get();
    int code = whisper_set_mel_with_state(context_.get(), state, mel.data(), kWindowFrames,
                                          mel_.num_mels());
    if (code == 0) {
      // No samples: the spectrogram stands already.
      code = whisper_full_with_state(context_.get(), state, params, nullptr, 0);
    }
    SOTTO_RETURN_IF_ERROR(call.cancel->Check());
    if (code != 0) {
      return InternalError("whisper: recognise: code " + std::to_string(code));
    }
    return Collect(state, call);
  }

  whisper_full_params Params(const Attempt& attempt, const AsrOptions& options) const {
    whisper_full_params params = whisper_full_default_params(
        attempt.beam ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
    params.n_threads = options.num_threads;
    params.no_context = true;
    // One decode over the whole clip: a second window over what is left is where words appear that
    // nobody said. Segments() cuts at the timestamps instead.
    params.single_segment = true;
    params.no_timestamps = !attempt.timestamps;
    params.print_progress = false;
    params.print_realtime = false;
    params.print_timestamps = false;
    params.language = options.language.empty() ? "en" : options.language.c_str();
    params.initial_prompt = options.prompt.empty() ? nullptr : options.prompt.c_str();
    params.audio_ctx = attempt.context == kFullContext ? 0 : attempt.context;
    params.suppress_blank = true;
    // Remarks such as "[BLANK_AUDIO]" are the decoder's way to say that nobody speaks: they are
    // taken out of the text, not forbidden.
    params.suppress_nst = false;
    params.temperature = attempt.temperature;
    params.temperature_inc = 0.0f;
    params.entropy_thold = -1.0f;
    params.logprob_thold = -1e9f;
    params.no_speech_thold = 2.0f;
    params.greedy.best_of = 1;
    params.beam_search.beam_size = kBeamSize;
    return params;
  }

  Decoded Collect(whisper_state* state, const Call& call) const {
    Decoded decoded;
    for (int s = 0; s < whisper_full_n_segments_from_state(state); ++s) {
      for (int t = 0; t < whisper_full_n_tokens_from_state(state, s); ++t) {
        decoded.tokens.push_back(whisper_full_get_token_data_from_state(state, s, t));
      }
      decoded.no_speech_prob = std::max(
          decoded.no_speech_prob, whisper_full_get_segment_no_speech_prob_from_state(state, s));
    }
    decoded.avg_logprob = AverageLogprob(decoded.tokens, end_token_);
    decoded.least_logprob = LeastLogprob(decoded.tokens, end_token_);
    const std::vector<int32_t> ids = IdsOf(decoded.tokens);
    const std::vector<int32_t> untimed = UntimedTokens(ids, call.kinds);
    const size_t num_text = TextTokens(ids, call.kinds).size();
    decoded.crowded = static_cast<int32_t>(num_text) >= call.max_text_tokens;
    decoded.sparse =
        num_text > 0 && decoded.no_speech_prob < kNoSpeech && IsSparse(num_text, call.duration_ms);
    decoded.looped = IsLoop(RepetitionAtEnd(untimed), num_text, call.duration_ms) ||
                     RepeatedShare(untimed) > kLoopShare;
    return decoded;
  }

  // Cuts the tokens at the timestamps among them.
  std::vector<AsrSegment> Segments(const Decoded& decoded, const ClipTimes& times) const {
    const int64_t begin_ms = SamplesToMs(times.first_sample);
    const int64_t end_ms = SamplesToMs(times.end_sample);
    std::vector<AsrSegment> segments;
    std::string bytes;
    std::vector<whisper_token_data> of_segment;
    int64_t start_ms = begin_ms;
    const auto close = [&](int64_t at_ms) {
      std::string text = CleanTranscript(bytes);
      bytes.clear();
      if (!text.empty()) {
        AsrSegment segment;
        segment.start_ms = std::clamp(start_ms, begin_ms, end_ms);
        segment.end_ms = std::clamp(at_ms, segment.start_ms, end_ms);
        segment.text = std::move(text);
        segment.avg_logprob = AverageLogprob(of_segment, end_token_);
        segment.no_speech_prob = decoded.no_speech_prob;
        segments.push_back(std::move(segment));
        start_ms = segments.back().end_ms;
      }
      of_segment.clear();
    };
    size_t text_left = TextTokens(IdsOf(decoded.tokens), {end_token_, begin_token_}).size();
    for (const whisper_token_data& token : decoded.tokens) {
      if (token.id >= begin_token_) {
        const int64_t sound_ms = int64_t{20} * (token.id - begin_token_);
        if (of_segment.empty()) {
          start_ms = std::max(start_ms, times.BeginMs(sound_ms));
        } else {
          close(times.EndMs(sound_ms, text_left == 0));
        }
      } else if (token.id < end_token_) {
        --text_left;
        bytes += whisper_token_to_str(context_.get(), token.id);
        of_segment.push_back(token);
      }
    }
    close(end_ms);
    return segments;
  }

  const ContextPtr context_;
  const StatePtr state_;
  const whisper_token end_token_;
  const whisper_token begin_token_;
  const WhisperMel mel_;
  AsrInfo info_;
  bool retried_ = false;
};

}  // namespace
}  // namespace whisper

Result<std::unique_ptr<Asr>> MakeWhisperAsr(const std::string& path,
                                            const WhisperOptions& options) {
  using whisper::ContextPtr;
  using whisper::StatePtr;
  whisper::InstallLog();
  SOTTO_ASSIGN_OR_RETURN(const ModelFileSummary summary, ValidateModelFile(path));
  if (!summary.whisper) {
    return InvalidArgumentError("whisper: " + path + ": is " +
                                std::string(DescribeModelFileKind(summary.kind)) +
                                ": a Whisper model in ggml format is needed");
  }
  whisper::ErrorCapture errors;
  try {
    whisper_context_params params = whisper_context_default_params();
    params.use_gpu = false;
    params.flash_attn = options.flash_attention;
    ContextPtr context(whisper_init_from_file_with_params_no_state(path.c_str(), params));
    if (!context) {
      return DataLossError("whisper: load: " + path + ": " +
                           (errors.last().empty() ? "refused by whisper.cpp" : errors.last()));
    }
    StatePtr state(whisper_init_state(context.get()));
    if (!state) {
      return ResourceExhaustedError("whisper: load: " + path + ": no memory for its state");
    }
    return std::unique_ptr<Asr>(
        std::make_unique<whisper::WhisperAsr>(std::move(context), std::move(state)));
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("whisper: load: " + path + ": out of memory");
  } catch (const std::exception& e) {
    return DataLossError("whisper: load: " + path + ": " + e.what());
  }
}

}  // namespace sotto
