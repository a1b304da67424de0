// Weights of a few kilobytes to megabytes in the forms that the converters read, for tests.
#ifndef SOTTO_CONVERT_TINY_SOURCES_H_
#define SOTTO_CONVERT_TINY_SOURCES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace sotto {

// A CTranslate2 Whisper of one layer a side and 64 dims with the vocabulary `vocab`; `is_int8`
// stores the matrices as int8 with scales.
std::string MakeTinyCt2(uint32_t vocab, bool is_int8);
// Lines of the vocabulary beside it.
std::string MakeTinyVocabulary(uint32_t vocab);

// A BERT of one layer, 64 dims and 40 tokens: the three files.
std::string MakeTinySafetensors();
std::string MakeTinyConfig();
std::string MakeTinyVocabTxt();

// A legacy torch file of Resemblyzer's shapes. `layers` below 3 leaves tensors out.
std::string MakeTinyTorch(int layers);

// The instructions of a pickle that calls os.system.
std::string MakeHostilePickle();

}  // namespace sotto

#endif  // SOTTO_CONVERT_TINY_SOURCES_H_
