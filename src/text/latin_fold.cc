#include "text/latin_fold.h"

#include "text/utf8.h"

namespace sotto {
namespace {

// After the compatibility decompositions of Unicode 15.0; letters that have none by their looks.
// U+00C0 to U+017F: Latin-1 Supplement, Latin Extended-A
constexpr std::string_view kLatin1[] = {
    "A", "A", "A",  "A",  "A", "A", "AE", "C",  "E",  "E", "E", "E", "I",  "I",  "I", "I", "D", "N",
    "O", "O", "O",  "O",  "O", "",  "O",  "U",  "U",  "U", "U", "Y", "Th", "ss", "a", "a", "a", "a",
    "a", "a", "ae", "c",  "e", "e", "e",  "e",  "i",  "i", "i", "i", "d",  "n",  "o", "o", "o", "o",
    "o", "",  "o",  "u",  "u", "u", "u",  "y",  "th", "y", "A", "a", "A",  "a",  "A", "a", "C", "c",
    "C", "c", "C",  "c",  "C", "c", "D",  "d",  "D",  "d", "E", "e", "E",  "e",  "E", "e", "E", "e",
    "E", "e", "G",  "g",  "G", "g", "G",  "g",  "G",  "g", "H", "h", "H",  "h",  "I", "i", "I", "i",
    "I", "i", "I",  "i",  "I", "i", "IJ", "ij", "J",  "j", "K", "k", "k",  "L",  "l", "L", "l", "L",
    "l", "L", "l",  "L",  "l", "N", "n",  "N",  "n",  "N", "n", "n", "N",  "ng", "O", "o", "O", "o",
    "O", "o", "OE", "oe", "R", "r", "R",  "r",  "R",  "r", "S", "s", "S",  "s",  "S", "s", "S", "s",
    "T", "t", "T",  "t",  "T", "t", "U",  "u",  "U",  "u", "U", "u", "U",  "u",  "U", "u", "U", "u",
    "W", "w", "Y",  "y",  "Y", "Z", "z",  "Z",  "z",  "Z", "z", "s"};

// U+01CD to U+0233: carons and the like of Latin Extended-B
constexpr std::string_view kExtendedB[] = {
    "A",  "a",  "I",  "i", "O", "o", "U", "u", "U", "u", "U", "u", "U", "u", "U", "u", "",  "A",
    "a",  "A",  "a",  "",  "",  "",  "",  "G", "g", "K", "k", "O", "o", "O", "o", "",  "",  "j",
    "DZ", "Dz", "dz", "G", "g", "",  "",  "N", "n", "A", "a", "",  "",  "",  "",  "A", "a", "A",
    "a",  "E",  "e",  "E", "e", "I", "i", "I", "i", "O", "o", "O", "o", "R", "r", "R", "r", "U",
    "u",  "U",  "u",  "S", "s", "T", "t", "",  "",  "H", "h", "",  "",  "",  "",  "",  "",  "A",
    "a",  "E",  "e",  "O", "o", "O", "o", "O", "o", "O", "o", "Y", "y"};

// U+1E00 to U+1EFF: Latin Extended Additional
constexpr std::string_view kAdditional[] = {
    "A", "a", "B", "b", "B", "b", "B",  "b", "C", "c", "D", "d", "D", "d", "D", "d", "D", "d", "D",
    "d", "E", "e", "E", "e", "E", "e",  "E", "e", "E", "e", "F", "f", "G", "g", "H", "h", "H", "h",
    "H", "h", "H", "h", "H", "h", "I",  "i", "I", "i", "K", "k", "K", "k", "K", "k", "L", "l", "L",
    "l", "L", "l", "L", "l", "M", "m",  "M", "m", "M", "m", "N", "n", "N", "n", "N", "n", "N", "n",
    "O", "o", "O", "o", "O", "o", "O",  "o", "P", "p", "P", "p", "R", "r", "R", "r", "R", "r", "R",
    "r", "S", "s", "S", "s", "S", "s",  "S", "s", "S", "s", "T", "t", "T", "t", "T", "t", "T", "t",
    "U", "u", "U", "u", "U", "u", "U",  "u", "U", "u", "V", "v", "V", "v", "W", "w", "W", "w", "W",
    "w", "W", "w", "W", "w", "X", "x",  "X", "x", "Y", "y", "Z", "z", "Z", "z", "Z", "z", "h", "t",
    "w", "y", "a", "s", "",  "",  "SS", "",  "A", "a", "A", "a", "A", "a", "A", "a", "A", "a", "A",
    "a", "A", "a", "A", "a", "A", "a",  "A", "a", "A", "a", "A", "a", "E", "e", "E", "e", "E", "e",
    "E", "e", "E", "e", "E", "e", "E",  "e", "E", "e", "I", "i", "I", "i", "O", "o", "O", "o", "O",
    "o", "O", "o", "O", "o", "O", "o",  "O", "o", "O", "o", "O", "o", "O", "o", "O", "o", "O", "o",
    "U", "u", "U", "u", "U", "u", "U",  "u", "U", "u", "U", "u", "U", "u", "Y", "y", "Y", "y", "Y",
    "y", "Y", "y", "",  "",  "",  "",   "",  ""};

}  // namespace

std::string_view FoldLatin(char32_t letter) {
  if (ScriptOf(letter) != Script::kLatin) return {};
  std::string_view folded;
  if (letter >= 0xC0 && letter <= 0x17F) folded = kLatin1[letter - 0xC0];
  if (letter >= 0x1CD && letter <= 0x233) folded = kExtendedB[letter - 0x1CD];
  if (letter >= 0x1E00 && letter <= 0x1EFF) folded = kAdditional[letter - 0x1E00];
  if (letter == 0xAA) folded = "a";
  if (letter == 0xBA) folded = "o";
  if (letter == 0x259) folded = "a";
  if (letter == 0x192) folded = "f";
  return folded;
}

}  // namespace sotto
