// Kokoro: a whole piece of a phrase per run. Its decoder normalises over the piece, so there is
// nothing to cut inside one; long phrases are cut at their pauses instead.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/onnx/cancellable_run.h"
#include "backends/onnx/kokoro_files.h"
#include "backends/onnx/model_file.h"
#include "backends/onnx/onnx_backend.h"
#include "backends/onnx/phrase_pieces.h"
#include "backends/onnx/speech_shaper.h"
#include "backends/onnx/surgery.h"
#include "backends/onnx/tts_request.h"
#include "base/file.h"

namespace sotto {
namespace {

constexpr int32_t kRateHz = 24000;
constexpr uint64_t kMaxVocabBytes = 1 << 20;
constexpr int64_t kPadId = 0;  // before and after every phrase

// Symbols. The model reads 510 at most. A piece of 100 is some six seconds: cutting there keeps
// the wait for the first sound and the reach of a cancellation short.
constexpr SplitLimits kSplit{.soft = 100, .hard = 400};

// What the streams share with the Tts that made them.
struct Model {
  std::unique_ptr<Session> session;
  SymbolTable symbols;
  bool gives_durations = false;
};

class KokoroStream final : public TtsStream {
 public:
  KokoroStream(std::shared_ptr<const Model> model, std::shared_ptr<const KokoroStyle> style,
               std::vector<PhrasePiece> pieces, float speed, CancelToken cancel)
      : model_(std::move(model)),
        style_(std::move(style)),
        pieces_(std::move(pieces)),
        speed_(speed),
        cancel_(std::move(cancel)) {}

  Result<TtsBlock> Next() override {
    if (finished_) {
      return FailedPreconditionError("speech: the last block was given: begin a new phrase");
    }
    TtsBlock block;
    while (block.samples.empty() && next_ < pieces_.size()) {
      SOTTO_RETURN_IF_ERROR(SpeakPiece(pieces_[next_], block.samples));
      ++next_;
    }
    given_samples_ += std::ssize(block.samples);
    finished_ = block.is_last = next_ == pieces_.size();
    return block;
  }

  std::span<const TtsMark> marks() const override { return marks_; }

 private:
  Status SpeakPiece(const PhrasePiece& piece, std::vector<float>& out) {
    std::vector<int64_t> ids{kPadId};
    ids.insert(ids.end(), piece.symbols.ids.begin(), piece.symbols.ids.end());
    ids.push_back(kPadId);
    const std::vector<TensorView> inputs{
        TensorView(std::span<const int64_t>(ids), {1, std::ssize(ids)}),
        TensorView(style_->Row(piece.symbols.ids.size()), {1, kKokoroStyleFloats}),
        TensorView(std::span<const float>(&speed_, 1), {1})};
    SOTTO_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs,
                           RunCancellable(*model_->session, inputs, cancel_));
    SpeechShaper shaper(ShapeOf(piece.end, kRateHz));
    shaper.Push(outputs[0].values(), out);
    shaper.Finish(out);
    if (model_->gives_durations && std::ssize(outputs[1].values()) == std::ssize(ids)) {
      Mark(piece, outputs[1].values(), std::ssize(outputs[0].values()),
           shaper.dropped_lead_samples());
    }
    return OkStatus();
  }

  // The durations are in frames of equal length that together are the audio.
  void Mark(const PhrasePiece& piece, std::span<const float> durations, int64_t num_samples,
            int64_t dropped) {
    double frames = 0.0;
    for (const float duration : durations) {
      frames += static_cast<double>(duration);
    }
    if (!(frames > 0.0)) {
      return;
    }
    const double samples_per_frame = static_cast<double>(num_samples) / frames;
    double at = 0.0;
    size_t id = 0;
    for (const auto& [symbol, text_offset] : piece.words) {
      // One id per symbol, after the pad.
      for (; id < symbol + 1; ++id) {
        at += static_cast<double>(durations[id]) * samples_per_frame;
      }
      const int64_t floor = marks_.empty() ? given_samples_ : marks_.back().start_sample;
      marks_.push_back({std::max(floor, given_samples_ + static_cast<int64_t>(at) - dropped),
                        static_cast<int64_t>(text_offset)});
    }
  }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const KokoroStyle> style_;
  std::vector<PhrasePiece> pieces_;
  std::vector<TtsMark> marks_;
  float speed_;
  CancelToken cancel_;
  size_t next_ = 0;
  int64_t given_samples_ = 0;
  bool finished_ = false;
};

class KokoroTts final : public Tts {
 public:
  KokoroTts(std::shared_ptr<const Model> model, std::vector<std::string> voices,
            std::string voices_dir, std::shared_ptr<const Phonemizer> phonemizer,
            const OnnxOptions& options)
      : model_(std::move(model)),
        voices_dir_(std::move(voices_dir)),
        phonemizer_(std::move(phonemizer)),
        options_(options) {
    info_.architecture = "kokoro";
    info_.rate_hz = kRateHz;
    info_.voices = std::move(voices);
    info_.language = "en";
    info_.streams_within_phrase = false;
  }

  const TtsInfo& info() const override { return info_; }

  Result<std::unique_ptr<TtsStream>> Speak(const TtsRequest& request,
                                           const CancelToken& cancel) override {
    SOTTO_ASSIGN_OR_RETURN(const size_t voice, CheckTtsRequest(request, info_));
    SOTTO_ASSIGN_OR_RETURN(const std::string phonemes,
                           phonemizer_->Phonemize(request.text, PhonemeAlphabet::kMisaki));
    SOTTO_ASSIGN_OR_RETURN(std::vector<PhrasePiece> pieces,
                           CutPhrase(request.text, phonemes, model_->symbols, kSplit, options_));
    SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<const KokoroStyle> style, StyleOf(info_.voices[voice]));
    return std::unique_ptr<TtsStream>(std::make_unique<KokoroStream>(
        model_, std::move(style), std::move(pieces), request.speed, cancel));
  }

 private:
  Result<std::shared_ptr<const KokoroStyle>> StyleOf(const std::string& voice) {
    if (const auto found = styles_.find(voice); found != styles_.end()) {
      return found->second;
    }
    SOTTO_ASSIGN_OR_RETURN(KokoroStyle style, KokoroStyle::Load(voices_dir_, voice));
    auto shared = std::make_shared<const KokoroStyle>(std::move(style));
    styles_.emplace(voice, shared);
    return std::shared_ptr<const KokoroStyle>(std::move(shared));
  }

  TtsInfo info_;
  std::shared_ptr<const Model> model_;
  std::string voices_dir_;
  std::shared_ptr<const Phonemizer> phonemizer_;
  OnnxOptions options_;
  std::map<std::string, std::shared_ptr<const KokoroStyle>> styles_;  // those used so far
};

// Durations = Clip(Round(...)), the only rounding in the graph; empty if it is not so.
std::string FindDurations(const OnnxGraph& graph) {
  std::string_view rounded;
  for (const OnnxNode& node : graph.nodes()) {
    if (node.op_type == "Round" && !node.outputs.empty()) {
      if (!rounded.empty()) {
        return {};
      }
      rounded = node.outputs[0];
    }
  }
  const std::vector<int32_t>& readers = graph.ConsumersOf(rounded);
  if (rounded.empty() || readers.size() != 1) {
    return {};
  }
  const OnnxNode& clip = graph.nodes()[static_cast<size_t>(readers[0])];
  return clip.op_type == "Clip" && !clip.outputs.empty() ? std::string(clip.outputs[0])
                                                         : std::string();
}

Status LoadModel(std::string_view bytes, const OnnxOptions& options, Model& model) {
  SOTTO_ASSIGN_OR_RETURN(const OnnxGraph graph, OnnxGraph::Parse(bytes));
  SOTTO_RETURN_IF_ERROR(CheckSignature(graph,
                                       {{"", OnnxType::kInt64, {1, -1}},
                                        {"style", OnnxType::kFloat, {1, kKokoroStyleFloats}},
                                        {"speed", OnnxType::kFloat, {1}}},
                                       {{"", OnnxType::kFloat, {-1}}}));
  const SessionOptions session_options{.num_threads = options.num_threads, .log = options.log};
  const std::string durations = FindDurations(graph);
  if (durations.empty()) {
    SOTTO_ASSIGN_OR_RETURN(model.session, Session::Load(bytes, "kokoro", session_options));
    return OkStatus();
  }
  SubmodelSpec spec;
  spec.inputs = {{std::string(graph.inputs()[0].name), OnnxType::kInt64, {1, -1}},
                 {"style", OnnxType::kFloat, {1, kKokoroStyleFloats}},
                 {"speed", OnnxType::kFloat, {1}}};
  spec.outputs = {{std::string(graph.outputs()[0].name), OnnxType::kFloat, {-1}},
                  {durations, OnnxType::kFloat, {}}};
  SOTTO_ASSIGN_OR_RETURN(const std::string part, ExtractSubmodel(graph, spec));
  SOTTO_ASSIGN_OR_RETURN(model.session, Session::Load(part, "kokoro", session_options));
  model.gives_durations = true;
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<Tts>> MakeKokoroTts(const KokoroFiles& files,
                                           std::shared_ptr<const Phonemizer> phonemizer,
                                           const OnnxOptions& options) {
  if (phonemizer == nullptr) {
    return InvalidArgumentError("phonemizer: none: a voice needs one");
  }
  SOTTO_ASSIGN_OR_RETURN(const std::string json, ReadFile(files.vocab_path, kMaxVocabBytes));
  Result<SymbolTable> symbols = ParseKokoroVocab(json);
  if (!symbols.ok()) {
    return symbols.status().WithContext(files.vocab_path);
  }
  SOTTO_ASSIGN_OR_RETURN(std::vector<std::string> voices, ListKokoroVoices(files.voices_dir));
  auto model = std::make_shared<Model>();
  model->symbols = *std::move(symbols);
  SOTTO_ASSIGN_OR_RETURN(const ModelFile file, ModelFile::Open(files.model_path));
  if (const Status status = LoadModel(file.bytes(), options, *model); !status.ok()) {
    return status.WithContext(files.model_path);
  }
  return std::unique_ptr<Tts>(std::make_unique<KokoroTts>(
      std::move(model), std::move(voices), files.voices_dir, std::move(phonemizer), options));
}

}  // namespace sotto
