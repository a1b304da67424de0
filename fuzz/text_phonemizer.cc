// The English phonemizer: any bytes give phonemes of the alphabet or a typed error, the same each
// time, and words are never lost. Also the readers of its lexicon and of its model, on any bytes.
#include <memory>
#include <string>

#include "text/english_phonemizer.h"
#include "text/letter_to_sound.h"
#include "text/normalizer.h"
#include "text/utf8.h"
#include "text_fuzz.h"

namespace {

constexpr std::string_view kLexicon =
    R"({"read":{"DEFAULT":"\u0279\u02c8id","VBD":"\u0279\u02c8\u025bd"},"the":"\u00f0i","cat":"k\u02c8\u00e6t"})";

bool HasLatin(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const sotto::CodePoint c = sotto::DecodeUtf8(text, i);
    if (sotto::IsAsciiAlpha(c.value)) return true;
    i += c.size_bytes;
  }
  return false;
}

void Check(const sotto::Phonemizer& phonemizer, std::string_view text) {
  using sotto::fuzz::Require;
  for (const auto alphabet :
       {sotto::PhonemeAlphabet::kEspeakIpa, sotto::PhonemeAlphabet::kMisaki}) {
    const auto phonemes = phonemizer.Phonemize(text, alphabet);
    if (!phonemes.ok()) {
      Require(phonemes.status().code() == sotto::Code::kInvalidArgument, "the error is typed");
      continue;
    }
    Require(sotto::ValidateUtf8(*phonemes) == sotto::kValidUtf8, "valid out");
    Require(!HasLatin(text) || !phonemes->empty(), "letters do not vanish");
    if (alphabet == sotto::PhonemeAlphabet::kMisaki) continue;
    const auto again = phonemizer.Phonemize(text, alphabet);
    Require(again.ok() && *again == *phonemes, "the same again");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = sotto::fuzz::AsText(data, size);
  static const auto phonemizer = sotto::MakeEnglishPhonemizer({kLexicon, {}, {}});
  sotto::fuzz::Require(phonemizer.ok(), "the lexicon loads");
  // Most words are unknown to this lexicon, and the rules are slow in debug builds.
  const std::string_view head = text.substr(0, 80);
  Check(**phonemizer, size % 2 == 0 ? std::string(head) : sotto::NormalizeForSpeech(head));
  (void)sotto::MakeEnglishPhonemizer({text, {}, {}}).ok();
  (void)sotto::MakeEnglishPhonemizer({{}, {}, text}).ok();
  const auto model = sotto::LetterToSound::FromBlob(text);
  if (model.ok()) (void)model->Pronounce("abcdefghijklmnopqrstuvwxyz");
  return 0;
}
