// The weak forms of function words, in the letters of EspeakIpa().
#include <algorithm>
#include <iterator>

#include "text/espeak_dialect.h"

namespace sotto {
namespace {

struct FunctionWord {
  std::string_view word;
  std::string_view weak;
  std::string_view final;  // nothing follows
};

// What espeak-ng 1.51 does with the commonest words of a sentence.
constexpr FunctionWord kFunctionWords[] = {
    {"a", "6", "1A"},
    {"about", "6b2Wt", "6b1Wt"},
    {"above", "@b2^v", "@b1^v"},
    {"across", "@kr2as", "@kr1as"},
    {"after", "1&ftR", "1&ftR"},
    {"again", "6g1En", "6g1En"},
    {"already", "clr2Ede", "clr1Ede"},
    {"although", "clH1O", "clH1O"},
    {"am", "6m", "6m"},
    {"among", "6m2^G", "6m1^G"},
    {"an", "6n", "&n"},
    {"and", "&nd", "&nd"},
    {"any", "2Ene", "2Ene"},
    {"are", "ar", "ar"},
    {"aren't", "2arnt", "1arnt"},
    {"as", "&z", "&z"},
    {"at", "&t", "&t"},
    {"be", "bi", "b1i"},
    {"because", "byk1^z", "byk1^z"},
    {"been", "b2yn", "b2yn"},
    {"before", "b#f2or", "b#f1or"},
    {"behind", "b#h2Ind", "b#h1Ind"},
    {"being", "b2iyG", "b1iyG"},
    {"below", "b#l2O", "b#l1O"},
    {"between", "b#tw2in", "b#tw1in"},
    {"beyond", "b#j2qnd", "b#j1qnd"},
    {"but", "b2^t", "b2^t"},
    {"by", "bI", "b1I"},
    {"can", "k&n", "k1&n"},
    {"could", "kUd", "k1Ud"},
    {"couldn't", "k2Ud@nt", "k1Ud@nt"},
    {"did", "d1yd", "d1yd"},
    {"didn't", "d1ydnt", "d1ydnt"},
    {"do", "d1u", "d1u"},
    {"doing", "d2uyG", "d1uyG"},
    {"down", "d2Wn", "d1Wn"},
    {"for", "fcr", "fcr"},
    {"from", "fr^m", "fr^m"},
    {"get", "gEt", "g1Et"},
    {"go", "g2O", "g1O"},
    {"going", "g2OyG", "g1OyG"},
    {"gone", "gqn", "g1qn"},
    {"got", "gat", "g1at"},
    {"had", "h&d", "h2&d"},
    {"has", "h6z", "h1&z"},
    {"have", "h&v", "h1&v"},
    {"having", "h2&vyG", "h1&vyG"},
    {"he", "hi", "hi"},
    {"he'd", "hid", "hid"},
    {"he'll", "hil", "hil"},
    {"he's", "hiz", "hiz"},
    {"her", "h3", "h3"},
    {"him", "h2ym", "h2ym"},
    {"his", "hyz", "h1yz"},
    {"how", "h2W", "h1W"},
    {"i", "I", "1I"},
    {"i'd", "Id", "Id"},
    {"i'll", "Il", "Il"},
    {"i'm", "Im", "Im"},
    {"i've", "Iv", "Iv"},
    {"if", "yf", "yf"},
    {"in", "yn", "1yn"},
    {"into", "2yntU", "2yntU"},
    {"is", "yz", "yz"},
    {"isn't", "2yz@nt", "1yz@nt"},
    {"it", "yt", "yt"},
    {"it's", "yts", "yts"},
    {"its", "yts", "yts"},
    {"made", "m2Ad", "m1Ad"},
    {"make", "m2Ak", "m1Ak"},
    {"me", "m2i", "m2i"},
    {"might", "m2It", "m1It"},
    {"my", "mI", "m1I"},
    {"near", "n2yr", "n1yr"},
    {"not", "n2at", "n1at"},
    {"of", "^v", "^v"},
    {"off", "1qf", "1qf"},
    {"on", "2qn", "1qn"},
    {"onto", "2antU", "1antU"},
    {"or", "cr", "cr"},
    {"our", "2WR", "2WR"},
    {"over", "2OvR", "1OvR"},
    {"per", "p3", "p3"},
    {"shall", "S2&l", "S1&l"},
    {"she", "Si", "Si"},
    {"she'll", "Sil", "Sil"},
    {"she's", "Siz", "Siz"},
    {"should", "S2Ud", "S1Ud"},
    {"shouldn't", "S2Ud@nt", "S1Ud@nt"},
    {"so", "s2O", "s1O"},
    {"some", "s2^m", "s2^m"},
    {"than", "H6n", "H6n"},
    {"that", "H&t", "H1&t"},
    {"that's", "H&ts", "H1&ts"},
    {"the", "H@", "H@"},
    {"their", "HEr", "HEr"},
    {"them", "H2Em", "H2Em"},
    {"there", "HEr", "H1Er"},
    {"there's", "HErz", "H1Erz"},
    {"these", "Hiz", "H1iz"},
    {"they", "HA", "HA"},
    {"they'd", "HAd", "HAd"},
    {"they'll", "HAl", "HAl"},
    {"they're", "HAR", "HAR"},
    {"they've", "HAv", "HAv"},
    {"this", "Hys", "H1ys"},
    {"those", "HOz", "H1Oz"},
    {"though", "H2O", "H2O"},
    {"through", "Tru", "Tr1u"},
    {"to", "t@", "tu"},
    {"under", "2^ndR", "1^ndR"},
    {"up", "2^p", "1^p"},
    {"upon", "@p2an", "@p2an"},
    {"us", "2^s", "2^s"},
    {"want", "w1qnt", "w1qnt"},
    {"wanted", "w1qntyd", "w1qntyd"},
    {"wants", "w1qnts", "w1qnts"},
    {"was", "w^z", "w^z"},
    {"wasn't", "w1^z=t", "w1^z=t"},
    {"we", "wi", "wi"},
    {"we'd", "wid", "wid"},
    {"we'll", "wil", "wil"},
    {"we're", "wyr", "wyr"},
    {"we've", "wiv", "wiv"},
    {"were", "w3", "w3"},
    {"what", "w^t", "w1^t"},
    {"what's", "w^ts", "w1^ts"},
    {"when", "wEn", "w1En"},
    {"where", "w2Er", "w1Er"},
    {"which", "w2yC", "w1yC"},
    {"while", "w2Il", "w1Il"},
    {"who", "h2u", "h1u"},
    {"who's", "h2uz", "h1uz"},
    {"whose", "h2uz", "h2uz"},
    {"why", "w2I", "w1I"},
    {"will", "wyl", "w1yl"},
    {"with", "wyH", "wyH"},
    {"within", "wyH2yn", "wyH1yn"},
    {"without", "wyH2Wt", "wyH1Wt"},
    {"won't", "wOnt", "w1Ont"},
    {"would", "wUd", "w1Ud"},
    {"you", "ju", "ju"},
    {"you'd", "jud", "jud"},
    {"you'll", "jul", "jul"},
    {"you're", "jUr", "jUr"},
    {"you've", "juv", "juv"},
    {"your", "jUr", "jUr"},
};

struct FunctionPair {
  std::string_view first;
  std::string_view second;
  std::string_view first_codes;  // empty: as otherwise
  std::string_view second_codes;
};
constexpr FunctionPair kFunctionPairs[] = {
    {"for", "the", "fR", ""},       {"for", "a", "fRr", "@"},
    {"for", "an", "fRr", "@n"},     {"of", "a", "@v", "@"},
    {"of", "an", "@v", "@n"},       {"on", "the", "qn", ""},
    {"out", "of", "2WD", "@v"},     {"to", "be", "", "be"},
    {"that", "a", "H2&D", "@"},     {"that", "it", "H26D", "yt"},
    {"not", "a", "n2aD", "@"},      {"than", "a", "H2&n", "@"},
    {"than", "an", "H2&n", "@n"},   {"there", "are", "", "2ar"},
    {"there", "was", "", "w2^z"},   {"there", "were", "", "w23"},
    {"have", "been", "h6v", "byn"}, {"has", "been", "h1&z", "bin"},
    {"had", "been", "h6d", "byn"},  {"have", "not", "h6v", ""},
    {"do", "not", "du", ""},        {"does", "not", "d^z", ""},
    {"did", "not", "dyd", ""},      {"should", "have", "S2Ud", "@v"},
    {"would", "have", "", "h6v"},   {"could", "have", "k2Ud", "6v"},
    {"might", "have", "", "h6v"},   {"must", "have", "m1^st", "6v"},
    {"as", "is", "2&z", "2yz"}};

}  // namespace

std::string EspeakFunctionPair(std::string_view before, std::string_view lower,
                               std::string_view next) {
  for (const FunctionPair& pair : kFunctionPairs) {
    const bool is_first = pair.first == lower && pair.second == next;
    const bool is_second = pair.second == lower && pair.first == before;
    const std::string_view codes = is_first ? pair.first_codes : is_second ? pair.second_codes : "";
    if (!codes.empty()) return EspeakIpa(codes);
  }
  return {};
}

std::string EspeakFunctionWord(std::string_view lower, Following following) {
  const auto* found = std::lower_bound(
      std::begin(kFunctionWords), std::end(kFunctionWords), lower,
      [](const FunctionWord& entry, std::string_view word) { return entry.word < word; });
  if (found == std::end(kFunctionWords) || found->word != lower) return {};
  std::string codes(following == Following::kNothing ? found->final : found->weak);
  if (following == Following::kVowel) {
    if (lower == "the") codes = "Hy";
    if (lower == "to") codes = "tU";
    if (lower == "it") codes = "yD";
    if (lower == "at") codes = "&D";
    if (codes.back() == 'R' || codes.back() == '3') codes += 'r';
  }
  return EspeakIpa(codes);
}

}  // namespace sotto
