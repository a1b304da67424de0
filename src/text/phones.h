// Phones: pronunciation inside src/text, one ASCII byte per phone, after the letters of the misaki
// lexicon. Stress stands right before the vowel it belongs to.
//
//   1 2   primary and secondary stress
//   A I O W Y   the diphthongs of day, my, go, now, boy
//   i u a c E & ^ U y @ 3   the vowels of see, too, spa, law, bed, cat, cup, put, sit, sofa, bird
//   % # 6   reduced vowels: syllabic (butt-on), roses, the article "a"
//   b d f g h j k l m n p r s t v w z   consonants, j as in yes
//   D G S Z T H J C ?   flap, sing, she, vision, thin, then, jam, chin, glottal stop
#ifndef SOTTO_TEXT_PHONES_H_
#define SOTTO_TEXT_PHONES_H_

#include <optional>
#include <string>
#include <string_view>

namespace sotto::phones {

constexpr std::string_view kVowels = "AIOWYiuacE&^Uy@3%#6";

constexpr bool IsVowel(char phone) { return kVowels.find(phone) != std::string_view::npos; }
constexpr bool IsStress(char phone) { return phone == '1' || phone == '2'; }
constexpr bool IsVoiceless(char phone) {
  return std::string_view("ptkfTsSCh").find(phone) != std::string_view::npos;
}
constexpr bool IsSibilant(char phone) {
  return std::string_view("szSZJC").find(phone) != std::string_view::npos;
}

// The first vowel, or the first phone of a word without one, begins the word: "an hour".
bool BeginsWithVowel(std::string_view phones);

// From the lexicon's letters; nothing if one of them is unknown. U+02C8 etc. as UTF-8.
std::optional<std::string> FromMisaki(std::string_view utf8);

// From the words of the CMU dictionary: "K AE1 T". Nothing if one of them is unknown.
std::optional<std::string> FromArpabet(std::string_view pronunciation);

// `phones` with t between vowels, or between r and a vowel, turned into a flap before an unstressed
// vowel.
std::string Flapped(std::string phones);

// To the letters of Kokoro's vocabulary.
std::string ToMisaki(std::string_view phones);

// `phones` with its primary stress made secondary, or with no stress at all.
std::string Weakened(std::string_view phones);
std::string Unstressed(std::string_view phones);

}  // namespace sotto::phones

#endif  // SOTTO_TEXT_PHONES_H_
