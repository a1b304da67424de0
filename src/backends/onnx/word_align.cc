#include "backends/onnx/word_align.h"

#include <algorithm>

namespace sotto {
namespace {

constexpr std::string_view kSpaces = " \t\n\r";
constexpr std::string_view kNotWords = " \t\n\r.,;:!?()\"'-";

// Offsets of the stretches between spaces that hold more than punctuation.
std::vector<size_t> WordStarts(std::string_view text) {
  std::vector<size_t> starts;
  size_t at = 0;
  while ((at = text.find_first_not_of(kSpaces, at)) != std::string_view::npos) {
    const size_t end = std::min(text.size(), text.find_first_of(kSpaces, at));
    if (text.substr(at, end - at).find_first_not_of(kNotWords) != std::string_view::npos) {
      starts.push_back(at);
    }
    at = end;
  }
  return starts;
}

}  // namespace

std::vector<std::pair<size_t, size_t>> AlignWords(std::string_view text,
                                                  std::string_view phonemes) {
  const std::vector<size_t> text_words = WordStarts(text);
  const std::vector<size_t> phoneme_words = WordStarts(phonemes);
  std::vector<std::pair<size_t, size_t>> aligned;
  if (text_words.empty()) {
    return aligned;
  }
  for (size_t i = 0; i < phoneme_words.size(); ++i) {
    const size_t word = i * text_words.size() / phoneme_words.size();
    aligned.emplace_back(phoneme_words[i], text_words[word]);
  }
  return aligned;
}

}  // namespace sotto
