// Which word of a text a word of its phonemes belongs to.
#ifndef SOTTO_BACKENDS_ONNX_WORD_ALIGN_H_
#define SOTTO_BACKENDS_ONNX_WORD_ALIGN_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {

// For each word of `phonemes`: its byte offset there and the byte offset of its word in `text`,
// both growing. Exact when both have as many words; otherwise words are spread evenly.
std::vector<std::pair<size_t, size_t>> AlignWords(std::string_view text, std::string_view phonemes);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_WORD_ALIGN_H_
