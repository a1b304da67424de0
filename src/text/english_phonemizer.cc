#include "text/english_phonemizer.h"

#include <utility>
#include <vector>

#include "text/espeak_dialect.h"
#include "text/latin_fold.h"
#include "text/letter_to_sound.h"
#include "text/lexicon.h"
#include "text/number_words.h"
#include "text/phones.h"
#include "text/pronouncer.h"
#include "text/utf8.h"
#include "text/word_tagger.h"

namespace sotto {
namespace {

constexpr std::string_view kMarks = ".,!?;:";

class EnglishPhonemizer : public Phonemizer {
 public:
  EnglishPhonemizer(Lexicon lexicon, const LetterToSound& rules)
      : lexicon_(std::move(lexicon)), pronouncer_(lexicon_, rules) {}

  Result<std::string> Phonemize(std::string_view text, PhonemeAlphabet alphabet) const override;

 private:
  // A word and the punctuation after it.
  struct Item {
    TaggedWord word;
    std::string lower;
    std::string phones;
    std::string marks;
  };

  Result<std::vector<Item>> Split(std::string_view text) const;
  void Say(std::vector<Item>& items) const;
  static Following After(const std::vector<Item>& items, size_t i);
  std::string Misaki(const std::vector<Item>& items, size_t i) const;
  static std::string Espeak(const std::vector<Item>& items, size_t i);

  Lexicon lexicon_;
  Pronouncer pronouncer_;
};

// Words of ASCII letters and apostrophes. Digits become words of their own.
Result<std::vector<EnglishPhonemizer::Item>> EnglishPhonemizer::Split(std::string_view text) const {
  std::vector<Item> items;
  std::string word;
  bool joined = false;  // by a hyphen to the word before
  const auto flush = [&] {
    while (!word.empty() && word.back() == '\'') word.pop_back();
    if (!word.empty()) {
      items.push_back({{word, false, joined}, {}, {}, {}});
      joined = false;
    }
    word.clear();
  };
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = DecodeUtf8(text, i);
    i += c.size_bytes;
    if (IsAsciiAlpha(c.value) || (c.value == '\'' && !word.empty())) {
      word += static_cast<char>(c.value);
      continue;
    }
    if (c.value == 0x2019 && !word.empty()) {
      word += '\'';
      continue;
    }
    if (IsCombiningMark(c.value) || IsInvisible(c.value)) continue;
    if (IsLetter(c.value)) {
      const std::string_view folded = FoldLatin(c.value);
      if (folded.empty()) {
        return InvalidArgumentError("phonemes: letter " + CodePointName(c.value) +
                                    ": not a Latin letter; use a voice of that language");
      }
      word += folded;
      continue;
    }
    flush();
    if (IsAsciiDigit(c.value)) {
      items.push_back({{CardinalWords(uint64_t{c.value - '0'}), false, false}, {}, {}, {}});
    } else if (c.value == '-') {
      joined = true;
    } else if (c.value < 0x80 && kMarks.find(static_cast<char>(c.value)) != kMarks.npos) {
      if (!items.empty() && items.back().marks.empty()) {
        items.back().marks = static_cast<char>(c.value);
        items.back().word.ends_clause = true;
      }
      joined = false;
    } else {
      joined = false;
    }
  }
  flush();
  return items;
}

void EnglishPhonemizer::Say(std::vector<Item>& items) const {
  std::vector<TaggedWord> words;
  words.reserve(items.size());
  for (const Item& item : items) words.push_back(item.word);
  if (!words.empty()) words.back().ends_clause = true;
  for (size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    item.word.ends_clause = words[i].ends_clause;
    item.lower = AsciiLower(item.word.text);
    const WordTag tag = TagOf(words, i, lexicon_);
    item.phones = FixedPronunciation(words, i);
    if (item.phones.empty()) item.phones = pronouncer_.Pronounce(item.word.text, tag);
  }
}

Following EnglishPhonemizer::After(const std::vector<Item>& items, size_t i) {
  if (i + 1 >= items.size() || items[i].word.ends_clause) return Following::kNothing;
  return phones::BeginsWithVowel(items[i + 1].phones) ? Following::kVowel : Following::kConsonant;
}

std::string EnglishPhonemizer::Misaki(const std::vector<Item>& items, size_t i) const {
  const Following after = After(items, i);
  const std::string& word = items[i].lower;
  const bool letter = IsLetterName(items[i].word);
  if (!letter && word == "the") return phones::ToMisaki(after == Following::kVowel ? "Hi" : "H@");
  if (!letter && word == "a") return phones::ToMisaki("6");
  if (word == "an") return phones::ToMisaki("6n");
  if (word == "to") {
    return phones::ToMisaki(after == Following::kVowel     ? "tU"
                            : after == Following::kNothing ? "tu"
                                                           : "t@");
  }
  if (!letter && word == "i") return phones::ToMisaki("2I");
  return phones::ToMisaki(items[i].phones);
}

std::string EnglishPhonemizer::Espeak(const std::vector<Item>& items, size_t i) {
  const Following after = After(items, i);
  if (!IsLetterName(items[i].word)) {
    const bool ends = items[i].word.ends_clause;
    const std::string_view next =
        ends || i + 1 == items.size() ? "" : std::string_view(items[i + 1].lower);
    const bool begins = i == 0 || items[i - 1].word.ends_clause;
    const std::string_view before = begins ? "" : std::string_view(items[i - 1].lower);
    std::string weak = EspeakFunctionPair(before, items[i].lower, next);
    if (weak.empty()) weak = EspeakFunctionWord(items[i].lower, after);
    if (!weak.empty()) return weak;
  }
  return EspeakWord(items[i].lower, items[i].phones, after);
}

Result<std::string> EnglishPhonemizer::Phonemize(std::string_view text,
                                                 PhonemeAlphabet alphabet) const {
  SOTTO_ASSIGN_OR_RETURN(std::vector<Item> items, Split(text));
  Say(items);
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!out.empty() && !(alphabet == PhonemeAlphabet::kMisaki && items[i].word.joined)) out += ' ';
    out += alphabet == PhonemeAlphabet::kMisaki ? Misaki(items, i) : Espeak(items, i);
    out += items[i].marks;
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<Phonemizer>> MakeEnglishPhonemizer(const LexiconTexts& texts) {
  SOTTO_ASSIGN_OR_RETURN(Lexicon lexicon, Lexicon::FromTexts(texts));
  const Result<LetterToSound>& rules = EnglishLetterToSound();
  if (!rules.ok()) return rules.status();
  return std::unique_ptr<Phonemizer>(
      std::make_unique<EnglishPhonemizer>(std::move(lexicon), *rules));
}

}  // namespace sotto
