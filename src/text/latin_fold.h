// FoldLatin: accented Latin letters to plain ones.
#ifndef SOTTO_TEXT_LATIN_FOLD_H_
#define SOTTO_TEXT_LATIN_FOLD_H_

#include <string_view>

namespace sotto {

// The ASCII letters nearest to `letter` ("e" for U+00E9, "ss" for U+00DF); empty if it is not
// Latin. Any thread.
std::string_view FoldLatin(char32_t letter);

}  // namespace sotto

#endif  // SOTTO_TEXT_LATIN_FOLD_H_
