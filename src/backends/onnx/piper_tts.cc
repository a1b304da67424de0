// Piper voices: phonemes to ids, windows to blocks.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/onnx/model_file.h"
#include "backends/onnx/onnx_backend.h"
#include "backends/onnx/phrase_pieces.h"
#include "backends/onnx/piper_config.h"
#include "backends/onnx/speech_shaper.h"
#include "backends/onnx/tts_request.h"
#include "backends/onnx/vits_voice.h"
#include "base/file.h"

namespace sotto {
namespace {

constexpr uint64_t kMaxConfigBytes = 4 << 20;

// Windows in frames (11.6 ms at 22.05 kHz). The first is as small as still covers the time that
// the second takes on a slow machine; growth keeps the total near that of the whole phrase.
constexpr int64_t kFirstWindowFrames = 10;
constexpr int64_t kMaxWindowFrames = 96;

// Symbols. The encoder's attention grows with the square; a phrase of conversation has under 200.
constexpr SplitLimits kSplit{.soft = 300, .hard = 400};

// Part of a phrase that is one utterance of the voice.
struct Piece {
  std::vector<int64_t> ids;
  std::vector<std::pair<size_t, size_t>> words;  // index into ids, offset in the text
  SpeechShape shape;
};

struct Voice {
  PiperConfig config;
  std::shared_ptr<const VitsVoice> model;
};

class PiperStream final : public TtsStream {
 public:
  PiperStream(std::shared_ptr<const Voice> voice, std::vector<Piece> pieces, VitsRequest request,
              CancelToken cancel)
      : voice_(std::move(voice)),
        pieces_(std::move(pieces)),
        request_(std::move(request)),
        cancel_(std::move(cancel)) {}

  Result<TtsBlock> Next() override {
    if (finished_) {
      return FailedPreconditionError("speech: the last block was given: begin a new phrase");
    }
    TtsBlock block;
    while (block.samples.empty() && piece_ < pieces_.size()) {
      SOTTO_RETURN_IF_ERROR(Step(block.samples));
    }
    given_samples_ += std::ssize(block.samples);
    finished_ = block.is_last = piece_ == pieces_.size();
    return block;
  }

  std::span<const TtsMark> marks() const override { return marks_; }

 private:
  // One window.
  Status Step(std::vector<float>& out) {
    if (!utterance_) {
      VitsRequest request = request_;
      request.ids = pieces_[piece_].ids;
      request.seed += static_cast<uint32_t>(piece_);
      utterance_ = voice_->model->Start(std::move(request));
      shaper_.emplace(pieces_[piece_].shape);
    }
    SOTTO_ASSIGN_OR_RETURN(const std::vector<float> samples, utterance_->Next(window_, cancel_));
    window_ = std::min(kMaxWindowFrames, window_ * 2);
    shaper_->Push(samples, out);
    if (!marked_ && (!out.empty() || utterance_->done())) {
      Mark();
    }
    if (utterance_->done()) {
      shaper_->Finish(out);
      piece_start_ = given_samples_ + std::ssize(out);
      utterance_.reset();
      marked_ = false;
      ++piece_;
    }
    return OkStatus();
  }

  // Adds the marks of the piece: its leading silence, which shifts them, is known by now.
  void Mark() {
    marked_ = true;
    const std::span<const int64_t> lengths = utterance_->id_samples();
    if (lengths.empty()) {
      return;
    }
    int64_t at = piece_start_ - shaper_->dropped_lead_samples();
    size_t id = 0;
    for (const auto& [word_id, text_offset] : pieces_[piece_].words) {
      for (; id < word_id && id < lengths.size(); ++id) {
        at += lengths[id];
      }
      const int64_t floor = marks_.empty() ? 0 : marks_.back().start_sample;
      marks_.push_back({std::max(floor, at), static_cast<int64_t>(text_offset)});
    }
  }

  std::shared_ptr<const Voice> voice_;
  std::vector<Piece> pieces_;
  VitsRequest request_;
  CancelToken cancel_;
  std::optional<SpeechShaper> shaper_;  // of the piece
  std::unique_ptr<VitsUtterance> utterance_;
  std::vector<TtsMark> marks_;
  size_t piece_ = 0;
  int64_t window_ = kFirstWindowFrames;
  int64_t given_samples_ = 0;
  int64_t piece_start_ = 0;
  bool marked_ = false;
  bool finished_ = false;
};

class PiperTts final : public Tts {
 public:
  PiperTts(std::shared_ptr<const Voice> voice, std::shared_ptr<const Phonemizer> phonemizer,
           const OnnxOptions& options)
      : voice_(std::move(voice)), phonemizer_(std::move(phonemizer)), options_(options) {
    info_.architecture = "vits";
    info_.rate_hz = voice_->config.rate_hz;
    info_.voices = voice_->config.speakers;
    info_.language = voice_->config.language;
    info_.streams_within_phrase = voice_->model->streams();
  }

  const TtsInfo& info() const override { return info_; }

  Result<std::unique_ptr<TtsStream>> Speak(const TtsRequest& request,
                                           const CancelToken& cancel) override {
    SOTTO_ASSIGN_OR_RETURN(const size_t speaker, CheckTtsRequest(request, info_));
    SOTTO_ASSIGN_OR_RETURN(const std::string phonemes,
                           phonemizer_->Phonemize(request.text, PhonemeAlphabet::kEspeakIpa));
    SOTTO_ASSIGN_OR_RETURN(
        const std::vector<PhrasePiece> parts,
        CutPhrase(request.text, phonemes, voice_->config.symbols, kSplit, options_));
    std::vector<Piece> pieces;
    for (const PhrasePiece& part : parts) {
      pieces.push_back(MakePiece(part));
    }
    const PiperConfig& config = voice_->config;
    VitsRequest utterance{.ids = {},
                          .noise_scale = config.noise_scale,
                          .length_scale = config.length_scale / request.speed,
                          .noise_w = config.noise_w,
                          .speaker = static_cast<int64_t>(speaker),
                          .seed = request.seed};
    return std::unique_ptr<TtsStream>(
        std::make_unique<PiperStream>(voice_, std::move(pieces), std::move(utterance), cancel));
  }

 private:
  // "^ _ p _ p _ $": what Piper voices were trained on.
  Piece MakePiece(const PhrasePiece& from) const {
    const PiperConfig& config = voice_->config;
    Piece piece;
    piece.shape = ShapeOf(from.end, config.rate_hz);
    const auto append = [&piece](std::span<const int64_t> ids) {
      piece.ids.insert(piece.ids.end(), ids.begin(), ids.end());
    };
    append(config.begin_ids);
    append(config.pad_ids);
    const EncodedSymbols& symbols = from.symbols;
    auto word = from.words.begin();
    for (size_t i = 0; i < symbols.starts.size(); ++i) {
      for (; word != from.words.end() && word->first == i; ++word) {
        piece.words.emplace_back(piece.ids.size(), word->second);
      }
      const size_t first = symbols.starts[i].first;
      const size_t end =
          i + 1 < symbols.starts.size() ? symbols.starts[i + 1].first : symbols.ids.size();
      append(std::span(symbols.ids).subspan(first, end - first));
      append(config.pad_ids);
    }
    append(config.end_ids);
    return piece;
  }

  TtsInfo info_;
  std::shared_ptr<const Voice> voice_;
  std::shared_ptr<const Phonemizer> phonemizer_;
  OnnxOptions options_;
};

}  // namespace

Result<std::unique_ptr<Tts>> MakePiperTts(const PiperFiles& files,
                                          std::shared_ptr<const Phonemizer> phonemizer,
                                          const OnnxOptions& options) {
  if (phonemizer == nullptr) {
    return InvalidArgumentError("phonemizer: none: a voice needs one");
  }
  SOTTO_ASSIGN_OR_RETURN(const std::string json, ReadFile(files.config_path, kMaxConfigBytes));
  auto voice = std::make_shared<Voice>();
  Result<PiperConfig> config = ParsePiperConfig(json);
  if (!config.ok()) {
    return config.status().WithContext(files.config_path);
  }
  voice->config = std::move(*config);
  SOTTO_ASSIGN_OR_RETURN(const ModelFile model, ModelFile::Open(files.model_path));
  Result<std::shared_ptr<const VitsVoice>> loaded =
      VitsVoice::Load(model.bytes(), {.num_threads = options.num_threads, .log = options.log});
  if (!loaded.ok()) {
    return loaded.status().WithContext(files.model_path);
  }
  voice->model = std::move(*loaded);
  if (voice->config.speakers.size() > 1 && !voice->model->has_speaker()) {
    return DataLossError(files.config_path + ": several speakers: the model has one");
  }
  return std::unique_ptr<Tts>(
      std::make_unique<PiperTts>(std::move(voice), std::move(phonemizer), options));
}

}  // namespace sotto
