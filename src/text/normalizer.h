// NormalizeForSpeech: from written English to the words that a speaker would say.
//
//   "Dr. Lee paid $3.50 on 3/3/2025."  ->
//   "Doctor Lee paid three dollars and fifty cents on March third, twenty twenty five."
//
// Numbers, decimals, ordinals, fractions, ranges, years, dates, times, currency, percent, units,
// phone numbers, house numbers, versions, URLs, e-mail addresses, hashtags, Roman numerals,
// abbreviations, initialisms ("FBI" -> "F B I"), symbols.
#ifndef SOTTO_TEXT_NORMALIZER_H_
#define SOTTO_TEXT_NORMALIZER_H_

#include <string>
#include <string_view>

namespace sotto {

// Spoken form of one phrase or more. Words are separated by one space; of punctuation only
// , . ! ? ; : ' and - within a word remain; no digit remains. A letter that stands for itself is a
// capital word of its own, the article is "a". Letters of scripts other than Latin stay for the
// phonemizer to judge (a lone Greek letter gets its English name).
//
// Tags and comments of XML, HTML and SSML are not spoken, entities are resolved, and operators of
// code are named: "a != b" -> "a is not equal to B".
//
// Never fails: bytes that are not UTF-8 vanish. No digit and no letter is dropped, but for the
// scheme of a URL, what stands in a tag, and seconds of a time that are zero. At most 40
// bytes come out per byte that goes in. Linear time. A second pass changes nothing. Any thread.
std::string NormalizeForSpeech(std::string_view text);

}  // namespace sotto

#endif  // SOTTO_TEXT_NORMALIZER_H_
