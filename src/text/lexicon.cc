#include "text/lexicon.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <nlohmann/json.hpp>

#include "text/phones.h"
#include "text/utf8.h"

namespace sotto {
namespace {

constexpr size_t kMaxTextBytes = size_t{64} << 20;
constexpr size_t kMaxWords = 4'000'000;
constexpr size_t kMaxVariants = 16;
constexpr uint8_t kCmuSource = 2;

uint64_t Hash(std::string_view word) {  // FNV-1a, 64 bit
  uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : word) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3ull;
  return hash ^ (hash >> 29);
}

std::optional<WordTag> TagOf(std::string_view name) {
  if (name == "DEFAULT") return WordTag::kDefault;
  if (name == "NOUN") return WordTag::kNoun;
  if (name == "VERB") return WordTag::kVerb;
  if (name == "ADJ") return WordTag::kAdjective;
  if (name == "ADV") return WordTag::kAdverb;
  if (name == "VBD") return WordTag::kPast;
  if (name == "DT") return WordTag::kDeterminer;
  if (name == "None") return WordTag::kFinal;
  return std::nullopt;  // VBN equals VBD in this lexicon, VBP is wrong for "read"
}

std::string_view KeyOf(const char* entry) { return {entry + 1, static_cast<uint8_t>(entry[0])}; }

}  // namespace

// Adds words to a lexicon while the table grows under it.
class LexiconBuilder {
 public:
  // Room for what `text_bytes` of lexicon usually hold: about 32 bytes a word.
  LexiconBuilder(Lexicon& lexicon, size_t text_bytes) : lexicon_(lexicon) {
    size_t slots = 1 << 8;
    while (slots * 2 < text_bytes / 16) slots *= 2;
    lexicon_.slots_.resize(slots);
    lexicon_.arena_.reserve(text_bytes * 3 / 4);
  }

  struct Variant {
    WordTag tag;
    std::string phones;
  };

  void Add(std::string_view word, uint8_t source, std::vector<Variant>& variants) {
    if (word.empty() || word.size() > 255 || variants.empty() || variants.size() > kMaxVariants) {
      return;
    }
    if (lexicon_.Entry(word) != nullptr) return;
    if (source == kCmuSource) {  // in lower case throughout: "london" is here as "London"
      std::string capital(word);
      capital[0] = AsciiUpper(capital[0]);
      if (lexicon_.Entry(capital) != nullptr) return;
    }
    std::stable_sort(variants.begin(), variants.end(), [](const Variant& a, const Variant& b) {
      return a.tag == WordTag::kDefault && b.tag != WordTag::kDefault;
    });
    if ((lexicon_.count_ + 1) * 3 > lexicon_.slots_.size() * 2) Grow();
    std::string& arena = lexicon_.arena_;
    Place(word, static_cast<uint32_t>(arena.size() + 1));
    arena += static_cast<char>(word.size());
    arena += word;
    arena += static_cast<char>(source);
    arena += static_cast<char>(variants.size());
    for (const Variant& variant : variants) {
      arena += static_cast<char>(variant.tag);
      arena += static_cast<char>(variant.phones.size());
      arena += variant.phones;
    }
    ++lexicon_.count_;
  }

  bool is_full() const { return lexicon_.count_ >= kMaxWords; }
  void Finish() { lexicon_.arena_.shrink_to_fit(); }

 private:
  void Place(std::string_view word, uint32_t value) {
    const size_t mask = lexicon_.slots_.size() - 1;
    size_t slot = Hash(word) & mask;
    while (lexicon_.slots_[slot] != 0) slot = (slot + 1) & mask;
    lexicon_.slots_[slot] = value;
  }

  void Grow() {
    const std::vector<uint32_t> old(lexicon_.slots_.size() * 2);
    std::vector<uint32_t> values = old;
    values.swap(lexicon_.slots_);
    for (const uint32_t value : values) {
      if (value != 0) Place(KeyOf(lexicon_.arena_.data() + value - 1), value);
    }
  }

  Lexicon& lexicon_;
};

namespace {

// SAX events of one lexicon text. Returning false stops the parser; `problem` says why.
class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  Reader(LexiconBuilder& builder, uint8_t source) : builder_(builder), source_(source) {}

  const std::string& problem() const { return problem_; }

  bool null() override { return depth_ == 2 || Fail("a member is null"); }
  bool boolean(bool) override { return Fail("a member is a boolean"); }
  bool number_integer(number_integer_t) override { return Fail("a member is a number"); }
  bool number_unsigned(number_unsigned_t) override { return Fail("a member is a number"); }
  bool number_float(number_float_t, const string_t&) override {
    return Fail("a member is a number");
  }
  bool binary(binary_t&) override { return Fail("a member is binary"); }
  bool start_array(std::size_t) override { return Fail("an array"); }
  bool end_array() override { return true; }

  bool string(string_t& value) override {
    if (depth_ == 0) return Fail("not an object");
    const std::optional<WordTag> tag = depth_ == 1 ? WordTag::kDefault : tag_;
    if (!tag) return true;
    std::optional<std::string> phones = phones::FromMisaki(value);
    if (!phones || phones->size() > 255) return Fail("a pronunciation has an unknown symbol");
    variants_.push_back({*tag, std::move(*phones)});
    return depth_ == 2 || Flush();
  }
  bool start_object(std::size_t) override { return ++depth_ <= 2 || Fail("nested too deep"); }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      word_ = name;
    } else {
      tag_ = TagOf(name);
    }
    return true;
  }
  bool end_object() override { return --depth_ == 0 || Flush(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Fail("not JSON at byte " + std::to_string(position));
  }

 private:
  bool Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }
  bool Flush() {
    if (builder_.is_full()) return Fail("more than " + std::to_string(kMaxWords) + " words");
    builder_.Add(word_, source_, variants_);
    variants_.clear();
    return true;
  }

  LexiconBuilder& builder_;
  uint8_t source_;
  int depth_ = 0;
  std::string word_;
  std::optional<WordTag> tag_;
  std::vector<LexiconBuilder::Variant> variants_;
  std::string problem_;
};

}  // namespace

namespace {

enum Source : uint8_t { kGold = 0, kSilver = 1, kCmu = kCmuSource };

Status ReadJson(std::string_view text, Source source, LexiconBuilder& builder) {
  if (text.empty()) return OkStatus();
  Reader reader(builder, source);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) return OkStatus();
  return DataLossError("lexicon: " + std::string(source == kGold ? "gold" : "silver") + ": " +
                       reader.problem() + "; pull the voice again");
}

Status ReadCmu(std::string_view text, LexiconBuilder& builder) {
  for (size_t line_number = 1; !text.empty(); ++line_number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const size_t space = line.find(' ');
    if (line.empty() || line.starts_with(";;;")) continue;
    if (space == std::string_view::npos) {
      return DataLossError("lexicon: cmudict line " + std::to_string(line_number) +
                           ": no pronunciation; pull the voice again");
    }
    const std::string_view word = line.substr(0, space);
    if (word.find('(') != std::string_view::npos) continue;  // a variant
    std::optional<std::string> phones = phones::FromArpabet(line.substr(space + 1));
    if (!phones || phones->empty() || phones->size() > 255) {
      return DataLossError("lexicon: cmudict line " + std::to_string(line_number) +
                           ": an unknown phoneme; pull the voice again");
    }
    if (builder.is_full()) return ResourceExhaustedError("lexicon: more than 4000000 words");
    std::vector<LexiconBuilder::Variant> variants = {{WordTag::kDefault, std::move(*phones)}};
    builder.Add(word, kCmu, variants);
  }
  return OkStatus();
}

}  // namespace

Result<Lexicon> Lexicon::FromTexts(const LexiconTexts& texts) {
  for (const std::string_view text : {texts.gold_json, texts.silver_json, texts.cmudict}) {
    if (text.size() <= kMaxTextBytes) continue;
    return ResourceExhaustedError("lexicon: " + std::to_string(text.size()) +
                                  " bytes: at most 67108864");
  }
  Lexicon lexicon;
  LexiconBuilder builder(lexicon,
                         texts.gold_json.size() + texts.silver_json.size() + texts.cmudict.size());
  SOTTO_RETURN_IF_ERROR(ReadJson(texts.gold_json, kGold, builder));
  SOTTO_RETURN_IF_ERROR(ReadJson(texts.silver_json, kSilver, builder));
  SOTTO_RETURN_IF_ERROR(ReadCmu(texts.cmudict, builder));
  builder.Finish();
  return lexicon;
}

const char* Lexicon::Entry(std::string_view word) const {
  if (slots_.empty()) return nullptr;
  const size_t mask = slots_.size() - 1;
  for (size_t slot = Hash(word) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const char* entry = arena_.data() + slots_[slot] - 1;
    if (KeyOf(entry) == word) return entry;
  }
  return nullptr;
}

std::string_view Lexicon::Find(std::string_view word, WordTag tag) const {
  const char* entry = Entry(word);
  if (entry == nullptr) return {};
  const char* at = entry + 1 + word.size() + 1;
  const auto variants = static_cast<uint8_t>(*at++);
  std::string_view found;
  for (uint8_t v = 0; v < variants; ++v) {
    const auto variant = static_cast<WordTag>(at[0]);
    const std::string_view phones(at + 2, static_cast<uint8_t>(at[1]));
    if (v == 0 || variant == tag) found = phones;
    at += 2 + phones.size();
  }
  return found;
}

bool Lexicon::HasVariants(std::string_view word) const {
  const char* entry = Entry(word);
  return entry != nullptr && static_cast<uint8_t>(entry[2 + word.size()]) > 1;
}

int Lexicon::SourceOf(std::string_view word) const {
  const char* entry = Entry(word);
  return entry == nullptr ? -1 : entry[1 + word.size()];
}

}  // namespace sotto
