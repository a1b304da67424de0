#include "backends/fake/fake_tts.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "text/utf8.h"

namespace sotto {
namespace {

bool HasLetter(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    if (IsLetter(point.value) || IsAsciiDigit(point.value)) {
      return true;
    }
    at += point.size_bytes;
  }
  return false;
}

class FakeTtsStream final : public TtsStream {
 public:
  FakeTtsStream(std::shared_ptr<const FakeTtsScript> script, TtsRequest request, CancelToken cancel)
      : script_(std::move(script)), request_(std::move(request)), cancel_(std::move(cancel)) {
    if (!HasLetter(request_.text)) {
      request_.text.clear();
    }
    letter_samples_ =
        static_cast<int64_t>(static_cast<float>(script_->letter_ms) *
                             static_cast<float>(script_->rate_hz) / 1000.0f / request_.speed);
  }

  Result<TtsBlock> Next() override {
    if (finished_) {
      return FailedPreconditionError("fake speech: the last block was given");
    }
    SOTTO_RETURN_IF_ERROR(cancel_.Check());
    if (script_->before_block) {
      SOTTO_RETURN_IF_ERROR(script_->before_block(request_, block_));
      SOTTO_RETURN_IF_ERROR(cancel_.Check());
    }
    ++block_;
    TtsBlock block;
    const size_t end =
        std::min(request_.text.size(), at_ + static_cast<size_t>(script_->letters_per_block));
    for (; at_ < end; ++at_) {
      AddLetter(static_cast<unsigned char>(request_.text[at_]), block.samples);
    }
    finished_ = block.is_last = at_ == request_.text.size();
    return block;
  }

  std::span<const TtsMark> marks() const override { return marks_; }

 private:
  void AddLetter(unsigned char letter, std::vector<float>& out) {
    const bool begins_word = letter != ' ' && (at_ == 0 || request_.text[at_ - 1] == ' ');
    if (begins_word) {
      marks_.push_back({made_, static_cast<int64_t>(at_)});
    }
    const double hz = 200.0 + 10.0 * letter + static_cast<double>(request_.seed % 7);
    for (int64_t i = 0; i < letter_samples_; ++i) {
      // Rises from and falls back to zero within each letter.
      const double place = static_cast<double>(i) / static_cast<double>(letter_samples_);
      const double level = letter == ' ' ? 0.0 : 0.3 * std::sin(std::numbers::pi * place);
      out.push_back(
          static_cast<float>(level * std::sin(2.0 * std::numbers::pi * hz * static_cast<double>(i) /
                                              script_->rate_hz)));
    }
    made_ += letter_samples_;
  }

  std::shared_ptr<const FakeTtsScript> script_;
  TtsRequest request_;
  CancelToken cancel_;
  std::vector<TtsMark> marks_;
  int64_t letter_samples_ = 0;
  int64_t made_ = 0;
  int64_t block_ = 0;
  size_t at_ = 0;
  bool finished_ = false;
};

class FakeTts final : public Tts {
 public:
  FakeTts(FakeTtsScript script, std::shared_ptr<FakeTtsLog> log)
      : script_(std::make_shared<const FakeTtsScript>(std::move(script))), log_(std::move(log)) {
    info_.architecture = "fake";
    info_.rate_hz = script_->rate_hz;
    info_.voices = script_->voices;
    info_.language = "en";
    info_.streams_within_phrase = true;
  }

  const TtsInfo& info() const override { return info_; }

  Result<std::unique_ptr<TtsStream>> Speak(const TtsRequest& request,
                                           const CancelToken& cancel) override {
    if (log_) {
      log_->Add(request);
    }
    SOTTO_RETURN_IF_ERROR(script_->speak_status);
    if (!(request.speed >= 0.5f && request.speed <= 2.0f)) {
      return InvalidArgumentError("speed: out of 0.5..2");
    }
    if (ValidateUtf8(request.text) != kValidUtf8) {
      return InvalidArgumentError("text: not valid UTF-8");
    }
    const auto& voices = script_->voices;
    if (!request.voice.empty() &&
        std::find(voices.begin(), voices.end(), request.voice) == voices.end()) {
      return InvalidArgumentError("voice: not one of this model's");
    }
    return std::unique_ptr<TtsStream>(std::make_unique<FakeTtsStream>(script_, request, cancel));
  }

 private:
  TtsInfo info_;
  std::shared_ptr<const FakeTtsScript> script_;
  std::shared_ptr<FakeTtsLog> log_;
};

}  // namespace

void FakeTtsLog::Add(const TtsRequest& request) {
  const MutexLock lock(mutex_);
  requests_.push_back(request);
}

std::vector<TtsRequest> FakeTtsLog::requests() const {
  const MutexLock lock(mutex_);
  return requests_;
}

std::unique_ptr<Tts> MakeFakeTts(FakeTtsScript script, std::shared_ptr<FakeTtsLog> log) {
  return std::make_unique<FakeTts>(std::move(script), std::move(log));
}

}  // namespace sotto
