#include "text/english_phonemizer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "text/latin_fold.h"
#include "text/letter_to_sound.h"
#include "text/phones.h"
#include "text/pronouncer.h"
#include "text/utf8.h"
#include "text/word_tagger.h"

namespace sotto {
namespace {

// A few words in the form of the misaki lexicon.
constexpr std::string_view kGold = R"({
  "the": "\u00f0i", "of": "\u028cv", "cat": "k\u02c8\u00e6t", "apple": "\u02c8\u00e6p\u1d4al",
  "walk": "w\u02c8\u0254k", "match": "m\u02c8\u00e6\u02a7", "carry": "k\u02c8\u025b\u0279i",
  "hope": "h\u02c8Op", "hop": "h\u02c8\u0251p", "happy": "h\u02c8\u00e6pi", "visit": "v\u02c8\u026az\u0259t",
  "key": "k\u02c8i", "frame": "f\u0279\u02c8Am", "London": "l\u02c8\u028cnd\u0259n",
  "read": {"DEFAULT": "\u0279\u02c8id", "VBD": "\u0279\u02c8\u025bd", "VBP": "\u0279\u02c8\u025bd"},
  "record": {"DEFAULT": "\u0279\u02c8\u025bk\u0259\u0279d", "VERB": "\u0279\u0259k\u02c8\u0254\u0279d"},
  "can": {"DEFAULT": "k\u00e6n", "None": "k\u02c8\u00e6n"}, "US": {"DEFAULT": "\u02cc\u028cs", "NOUN": null}
})";
constexpr std::string_view kCmu =
    "# a comment\nkowalski K AH0 W AA1 L S K IY0\nkowalski(2) K OW0 W AA1 L S K IY0\nlondon L AA1 "
    "N\n";

std::unique_ptr<Phonemizer> Small() {
  auto phonemizer = MakeEnglishPhonemizer({kGold, {}, kCmu});
  EXPECT_TRUE(phonemizer.ok()) << phonemizer.status().ToString();
  return *std::move(phonemizer);
}

std::string Espeak(const Phonemizer& phonemizer, std::string_view text) {
  const auto out = phonemizer.Phonemize(text, PhonemeAlphabet::kEspeakIpa);
  return out.ok() ? *out : out.status().ToString();
}

std::string Misaki(const Phonemizer& phonemizer, std::string_view text) {
  const auto out = phonemizer.Phonemize(text, PhonemeAlphabet::kMisaki);
  return out.ok() ? *out : out.status().ToString();
}

TEST(Lexicon, FindsVariantsAndSources) {
  const auto lexicon = Lexicon::FromTexts({kGold, {}, kCmu});
  ASSERT_TRUE(lexicon.ok());
  EXPECT_EQ(lexicon->Find("cat"), "k1&t");
  EXPECT_EQ(lexicon->Find("read"), "r1id");
  EXPECT_EQ(lexicon->Find("read", WordTag::kPast), "r1Ed");
  EXPECT_EQ(lexicon->Find("read", WordTag::kNoun), "r1id");
  EXPECT_EQ(lexicon->Find("US", WordTag::kNoun), "2^s");
  EXPECT_EQ(lexicon->Find("Cat"), "");
  EXPECT_TRUE(lexicon->HasVariants("record"));
  EXPECT_FALSE(lexicon->HasVariants("cat"));
  EXPECT_TRUE(lexicon->IsCommon("cat"));
  EXPECT_TRUE(lexicon->IsFallback("kowalski"));
  EXPECT_EQ(lexicon->Find("kowalski"), "k@w1alski");
  EXPECT_EQ(lexicon->Find("london"), "");  // "London" is known better
}

TEST(Lexicon, RefusesWhatIsNoLexicon) {
  for (const std::string_view text :
       {"[", "[]", "\"cat\"", "{\"a\":1}", "{\"a\":true}", "{\"a\":null}", "{\"a\":[]}",
        "{\"a\":{\"b\":{\"c\":\"d\"}}}", "{\"a\":\"\\u4e2d\"}", "{\"a\":\"b\"", "x"}) {
    const auto lexicon = Lexicon::FromTexts({text, {}, {}});
    ASSERT_FALSE(lexicon.ok()) << text;
    EXPECT_EQ(lexicon.status().code(), Code::kDataLoss) << text;
  }
  for (const std::string_view text : {"word\n", "word QQ1\n", "word \n"}) {
    EXPECT_EQ(Lexicon::FromTexts({{}, {}, text}).status().code(), Code::kDataLoss) << text;
  }
}

TEST(Phones, ConvertBothWays) {
  const std::string misaki = "\u00f0\u0259 k\u02c8\u00e6t";
  EXPECT_EQ(phones::FromMisaki("k\u02c8\u00e6t"), "k1&t");
  EXPECT_EQ(phones::ToMisaki("k1&t"), "k\u02c8\u00e6t");
  EXPECT_EQ(phones::FromMisaki(misaki), std::nullopt);  // no space in a word
  EXPECT_EQ(phones::FromArpabet("W AO1 T ER0"), "w1cD@r");
  EXPECT_EQ(phones::FromArpabet("QQ"), std::nullopt);
  EXPECT_EQ(phones::Weakened("1k2^b1a"), "2k^b2a");
  EXPECT_TRUE(phones::BeginsWithVowel("1&p"));
  EXPECT_FALSE(phones::BeginsWithVowel("k1&"));
}

struct WordRow {
  std::string word;
  std::string phones;
};
class PronouncerTest : public testing::TestWithParam<WordRow> {};

TEST_P(PronouncerTest, MakesItFromItsStem) {
  const auto lexicon = Lexicon::FromTexts({kGold, {}, kCmu});
  ASSERT_TRUE(lexicon.ok() && EnglishLetterToSound().ok());
  const Pronouncer pronouncer(*lexicon, *EnglishLetterToSound());
  EXPECT_EQ(pronouncer.Pronounce(GetParam().word), GetParam().phones);
}

INSTANTIATE_TEST_SUITE_P(
    Morphology, PronouncerTest,
    testing::Values(WordRow{"cats", "k1&ts"}, WordRow{"cat's", "k1&ts"}, WordRow{"cats'", "k1&ts"},
                    WordRow{"Cats", "k1&ts"}, WordRow{"CAT", "k1&t"}, WordRow{"keys", "k1iz"},
                    WordRow{"matches", "m1&C#z"}, WordRow{"carries", "k1Eriz"},
                    WordRow{"carried", "k1Erid"}, WordRow{"walked", "w1ckt"},
                    WordRow{"walking", "w1ckyG"}, WordRow{"matched", "m1&Ct"},
                    WordRow{"hoped", "h1Opt"}, WordRow{"hoping", "h1OpyG"},
                    WordRow{"hopping", "h1apyG"}, WordRow{"hopped", "h1apt"},
                    WordRow{"visited", "v1yz@D#d"}, WordRow{"happiness", "h1&pin@s"},
                    WordRow{"happily", "h1&pili"}, WordRow{"walker", "w1ck@r"},
                    WordRow{"keyless", "k1il@s"}, WordRow{"rewalk", "r2iw1ck"},
                    WordRow{"unhappy", "2^nh1&pi"}, WordRow{"keyframe", "k1ifr2Am"},
                    WordRow{"KeyFrame", "k1ifr2Am"}, WordRow{"F", "1Ef"}, WordRow{"W", "d1^b%lju"},
                    WordRow{"xml", "2Eks2Em1El"}, WordRow{"kowalskis", "k@w1alskiz"},
                    WordRow{"london", "l1^nd@n"}));

TEST(LetterToSound, ReadsUnknownWords) {
  const auto& rules = EnglishLetterToSound();
  ASSERT_TRUE(rules.ok()) << rules.status().ToString();
  EXPECT_EQ(phones::Unstressed(rules->Pronounce("cat")), "k&t");
  EXPECT_EQ(phones::Unstressed(rules->Pronounce("shine")), "SIn");
  EXPECT_EQ(phones::Unstressed(rules->Pronounce("blick")), "blyk");
  EXPECT_EQ(rules->Pronounce(""), "");
  EXPECT_EQ(rules->Pronounce("123"), "");
  EXPECT_EQ(rules->Pronounce("Blick"), rules->Pronounce("blick"));
  EXPECT_FALSE(rules->Pronounce(std::string(5000, 'q')).empty());
}

TEST(LetterToSound, RefusesDamage) {
  EXPECT_EQ(LetterToSound::FromBlob("").status().code(), Code::kDataLoss);
  EXPECT_EQ(LetterToSound::FromBlob("SLT1aaaaaaaaaaaaaaaaaaaaaaa").status().code(),
            Code::kDataLoss);
}

TEST(EnglishPhonemizer, JoinsWordsAndKeepsPunctuation) {
  const auto phonemizer = Small();
  EXPECT_EQ(Espeak(*phonemizer, "the cat, the apple."),
            "\u00f0\u0259 k\u02c8\u00e6t, \u00f0\u026a \u02c8\u00e6p\u0259l.");
  EXPECT_EQ(Misaki(*phonemizer, "the cat, the apple."),
            "\u00f0\u0259 k\u02c8\u00e6t, \u00f0i \u02c8\u00e6p\u1d4al.");
  EXPECT_EQ(Espeak(*phonemizer, ""), "");
  EXPECT_EQ(Espeak(*phonemizer, "?! ..."), "");
}

TEST(EnglishPhonemizer, ChoosesByContext) {
  const auto phonemizer = Small();
  EXPECT_NE(Misaki(*phonemizer, "he read").find("\u0279\u02c8\u025bd"), std::string::npos);
  EXPECT_NE(Misaki(*phonemizer, "will read").find("\u0279\u02c8id"), std::string::npos);
  EXPECT_NE(Misaki(*phonemizer, "to record").find("k\u02c8\u0254\u0279d"), std::string::npos);
  EXPECT_NE(Misaki(*phonemizer, "a record").find("\u0279\u02c8\u025bk"), std::string::npos);
}

// 49: a typographic apostrophe is an apostrophe.
TEST(Case049, CurlyApostropheIsOne) {
  const auto phonemizer = Small();
  EXPECT_EQ(Espeak(*phonemizer, "it\u2019s"), Espeak(*phonemizer, "it's"));
  EXPECT_EQ(Misaki(*phonemizer, "cat\u2019s"), Misaki(*phonemizer, "cat's"));
}

// 50: a script that we cannot read is an error that names the letter.
TEST(Case050, OtherScriptsAreRefused) {
  const auto phonemizer = Small();
  struct Row {
    std::string text;
    std::string name;
  };
  const Row rows[] = {{"\u4eca\u65e5\u306f", "U+4ECA"},
                      {"hello \u4e16\u754c", "U+4E16"},
                      {"\u041f\u0440\u0438\u0432\u0435\u0442", "U+041F"},
                      {"\u05e9\u05dc\u05d5\u05dd", "U+05E9"},
                      {"\u0645\u0631\u062d\u0628\u0627", "U+0645"},
                      {"\uc548\ub155", "U+C548"},
                      {"\u03bb\u03cc\u03b3\u03bf\u03c2", "U+03BB"},
                      {"\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "U+0E2A"}};
  for (const Row& row : rows) {
    const auto out = phonemizer->Phonemize(row.text, PhonemeAlphabet::kEspeakIpa);
    ASSERT_FALSE(out.ok()) << row.text;
    EXPECT_EQ(out.status().code(), Code::kInvalidArgument);
    EXPECT_NE(out.status().message().find(row.name), std::string::npos) << out.status().message();
  }
  EXPECT_EQ(Misaki(*phonemizer, "c\u00e1t"), Misaki(*phonemizer, "cat"));
  EXPECT_EQ(FoldLatin(0xDF), "ss");
  EXPECT_EQ(FoldLatin(0x1EBF), "e");
  EXPECT_EQ(FoldLatin(0x4E2D), "");
}

// 47: digits that reach the phonemizer are read all the same.
TEST(Case047, DigitsAreReadOneByOne) {
  const auto phonemizer = Small();
  EXPECT_EQ(Misaki(*phonemizer, "cat 42"), Misaki(*phonemizer, "cat four two"));
}

TEST(EnglishPhonemizer, LongWordsAndLongTextsTakeLinearTime) {
  const auto phonemizer = Small();
  EXPECT_GT(Misaki(*phonemizer, std::string(3000, 'a')).size(), 100u);
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "read ";
  EXPECT_GT(Espeak(*phonemizer, text).size(), text.size());
}

TEST(EnglishPhonemizer, WorksWithoutALexicon) {
  const auto phonemizer = MakeEnglishPhonemizer({});
  ASSERT_TRUE(phonemizer.ok());
  const auto out = (*phonemizer)->Phonemize("hello world", PhonemeAlphabet::kMisaki);
  ASSERT_TRUE(out.ok());
  EXPECT_NE(out->find(' '), std::string::npos);
}

struct TagRow {
  std::string sentence;
  size_t word;
  WordTag tag;
};
class TaggerTest : public testing::TestWithParam<TagRow> {};

TEST_P(TaggerTest, Guesses) {
  constexpr std::string_view kVariants = R"({
    "read": {"DEFAULT": "d", "VBD": "t"}, "record": {"DEFAULT": "d", "VERB": "t"},
    "live": {"DEFAULT": "d", "VERB": "t"}, "lives": {"DEFAULT": "d", "VERB": "t"},
    "close": {"DEFAULT": "d", "VERB": "t"}, "use": {"DEFAULT": "d", "NOUN": "t"},
    "used": {"DEFAULT": "d", "VBD": "t"}, "present": {"DEFAULT": "d", "VERB": "t"},
    "object": {"DEFAULT": "d", "VERB": "t"}, "content": {"DEFAULT": "d", "NOUN": "t"},
    "minute": {"DEFAULT": "d", "ADJ": "t"}, "bass": {"DEFAULT": "d", "ADJ": "t"},
    "project": {"DEFAULT": "d", "VERB": "t"}, "wind": {"DEFAULT": "d", "VERB": "t"},
    "tear": {"DEFAULT": "d", "VERB": "t"}, "wound": {"DEFAULT": "d", "VBD": "t"}})";
  const auto lexicon = Lexicon::FromTexts({kVariants, {}, {}});
  ASSERT_TRUE(lexicon.ok());
  std::vector<TaggedWord> words;
  for (const char c : GetParam().sentence + " ") {
    if (words.empty() || c == ' ') {
      if (!words.empty() && words.back().text.ends_with(',')) {
        words.back().text.pop_back();
        words.back().ends_clause = true;
      }
      words.emplace_back();
    }
    if (c != ' ') words.back().text += c;
  }
  words.pop_back();
  words.back().ends_clause = true;
  EXPECT_EQ(TagOf(words, GetParam().word, *lexicon), GetParam().tag) << GetParam().sentence;
}

INSTANTIATE_TEST_SUITE_P(
    Table, TaggerTest,
    testing::Values(
        TagRow{"He read the book", 1, WordTag::kPast},
        TagRow{"I will read tomorrow", 2, WordTag::kDefault},
        TagRow{"I have read it", 2, WordTag::kPast}, TagRow{"Read it aloud", 0, WordTag::kDefault},
        TagRow{"to read books", 1, WordTag::kDefault},
        TagRow{"I read it yesterday", 1, WordTag::kPast},
        TagRow{"They read every day", 1, WordTag::kDefault},
        TagRow{"Did you read it", 2, WordTag::kDefault},
        TagRow{"It was read twice", 2, WordTag::kPast}, TagRow{"Anna read it", 1, WordTag::kPast},
        TagRow{"Record the call", 0, WordTag::kVerb}, TagRow{"a new record", 2, WordTag::kNoun},
        TagRow{"please record this", 1, WordTag::kVerb},
        TagRow{"They record music", 1, WordTag::kVerb}, TagRow{"live music", 0, WordTag::kDefault},
        TagRow{"They live here", 1, WordTag::kVerb}, TagRow{"where I live", 2, WordTag::kVerb},
        TagRow{"a live show", 1, WordTag::kDefault}, TagRow{"She lives here", 1, WordTag::kVerb},
        TagRow{"their lives changed", 1, WordTag::kDefault},
        TagRow{"Close the door", 0, WordTag::kVerb},
        TagRow{"It is close to us", 2, WordTag::kDefault}, TagRow{"We use it", 1, WordTag::kVerb},
        TagRow{"no use for it", 1, WordTag::kNoun}, TagRow{"He used to run", 1, WordTag::kPast},
        TagRow{"It is used to cut", 2, WordTag::kDefault},
        TagRow{"He used it", 1, WordTag::kDefault}, TagRow{"We present it", 1, WordTag::kVerb},
        TagRow{"the present king", 1, WordTag::kNoun},
        TagRow{"I object to that", 1, WordTag::kVerb}, TagRow{"the object fell", 1, WordTag::kNoun},
        TagRow{"I am content", 2, WordTag::kDefault},
        TagRow{"the content is new", 1, WordTag::kNoun},
        TagRow{"one minute left", 1, WordTag::kDefault},
        TagRow{"so minute", 1, WordTag::kAdjective},
        TagRow{"he caught a bass", 3, WordTag::kDefault},
        TagRow{"he plays bass", 2, WordTag::kAdjective},
        TagRow{"our project grew", 1, WordTag::kNoun}, TagRow{"can wind it", 1, WordTag::kVerb},
        TagRow{"the wind blew", 1, WordTag::kNoun}, TagRow{"wear and tear", 2, WordTag::kVerb},
        TagRow{"it wound up here", 1, WordTag::kPast}));

}  // namespace
}  // namespace sotto
