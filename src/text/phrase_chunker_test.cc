#include "text/phrase_chunker.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace sotto {
namespace {

// Sentences alone: the first phrase gets no special treatment.
constexpr PhrasePolicy kSentences = {
    .first_clause_words = 0, .first_max_words = 0, .grow_bytes = 4096, .max_bytes = 4096};

std::vector<Phrase> Cut(std::string_view text, const PhrasePolicy& policy) {
  PhraseChunker chunker(policy);
  std::vector<Phrase> phrases = chunker.Feed(text);
  for (Phrase& phrase : chunker.Finish()) phrases.push_back(std::move(phrase));
  return phrases;
}

std::vector<std::string> Texts(const std::vector<Phrase>& phrases) {
  std::vector<std::string> texts;
  for (const Phrase& phrase : phrases) texts.push_back(phrase.text);
  return texts;
}

struct SentenceRow {
  std::string text;
  std::vector<std::string> phrases;
};

class SentenceTest : public testing::TestWithParam<SentenceRow> {};

TEST_P(SentenceTest, EndsWhereASpeakerEnds) {
  EXPECT_EQ(Texts(Cut(GetParam().text, kSentences)), GetParam().phrases);
}

TEST_P(SentenceTest, StreamedEqualsWhole) {
  const std::string& text = GetParam().text;
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    PhraseChunker chunker(kSentences);
    std::vector<Phrase> phrases = chunker.Feed(text.substr(0, cut));
    for (Phrase& phrase : chunker.Feed(text.substr(cut))) phrases.push_back(std::move(phrase));
    for (Phrase& phrase : chunker.Finish()) phrases.push_back(std::move(phrase));
    EXPECT_EQ(Texts(phrases), GetParam().phrases) << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, SentenceTest,
    testing::Values(
        SentenceRow{"", {}}, SentenceRow{"  \n ", {}}, SentenceRow{"Hello", {"Hello"}},
        SentenceRow{"Hi. Bye.", {"Hi.", "Bye."}}, SentenceRow{"Hi! Bye?", {"Hi!", "Bye?"}},
        SentenceRow{"What?! No way.", {"What?!", "No way."}},
        SentenceRow{"Pi is 3.14 today. Yes.", {"Pi is 3.14 today.", "Yes."}},
        SentenceRow{"It costs $3.50. Cheap.", {"It costs $3.50.", "Cheap."}},
        SentenceRow{"Dr. Smith is in. Go.", {"Dr. Smith is in.", "Go."}},
        SentenceRow{"Mr. and Mrs. Lee left. Why?", {"Mr. and Mrs. Lee left.", "Why?"}},
        SentenceRow{"Use a tool, e.g. a saw. Done.", {"Use a tool, e.g. a saw.", "Done."}},
        SentenceRow{"That is, i.e. now. Ok.", {"That is, i.e. now.", "Ok."}},
        SentenceRow{"He lives on Baker St. in London. Yes.",
                    {"He lives on Baker St. in London.", "Yes."}},
        SentenceRow{"He lives on Baker St. The house is old.",
                    {"He lives on Baker St.", "The house is old."}},
        SentenceRow{"St. Paul is cold. Yes.", {"St. Paul is cold.", "Yes."}},
        SentenceRow{"J. R. R. Tolkien wrote it. Good.", {"J. R. R. Tolkien wrote it.", "Good."}},
        SentenceRow{"Take vitamin C. Then rest.", {"Take vitamin C.", "Then rest."}},
        SentenceRow{"So do I. They too.", {"So do I.", "They too."}},
        SentenceRow{"Wait... what now. Ok.", {"Wait... what now.", "Ok."}},
        SentenceRow{"Wait... What now.", {"Wait...", "What now."}},
        SentenceRow{"Well\u2026 Fine.", {"Well\u2026", "Fine."}},
        SentenceRow{"See https://a.b/c.d?e=f. Then go.", {"See https://a.b/c.d?e=f.", "Then go."}},
        SentenceRow{"Mail bob.lee@mail.com. Thanks.", {"Mail bob.lee@mail.com.", "Thanks."}},
        SentenceRow{"At 4:30 p.m. we met. Ok.", {"At 4:30 p.m. we met.", "Ok."}},
        SentenceRow{"We met at 4 p.m. Then we left.", {"We met at 4 p.m.", "Then we left."}},
        SentenceRow{"The U.S. Army came. Ok.", {"The U.S. Army came.", "Ok."}},
        SentenceRow{"I live in the U.S. It is big.", {"I live in the U.S.", "It is big."}},
        SentenceRow{"Apples, pears, etc. And more.", {"Apples, pears, etc.", "And more."}},
        SentenceRow{"Acme Inc. makes tools. Ok.", {"Acme Inc. makes tools.", "Ok."}},
        SentenceRow{"He works for Acme Inc. He likes it.",
                    {"He works for Acme Inc.", "He likes it."}},
        SentenceRow{"No. 5 is best. Ok.", {"No. 5 is best.", "Ok."}},
        SentenceRow{"No. That is wrong.", {"No.", "That is wrong."}},
        SentenceRow{"On Jan. 5 it rained. Ok.", {"On Jan. 5 it rained.", "Ok."}},
        SentenceRow{"\"Really?\" he said. Yes.", {"\"Really?\" he said.", "Yes."}},
        SentenceRow{"He said \"Go.\" Then he left.", {"He said \"Go.\"", "Then he left."}},
        SentenceRow{"(He left.) She stayed.", {"(He left.)", "She stayed."}},
        SentenceRow{"Yahoo! is old. Ok.", {"Yahoo! is old.", "Ok."}},
        SentenceRow{"1. First thing", {"1. First thing"}},
        SentenceRow{"Do this:\n1. Eat\n2. Sleep", {"Do this:", "1. Eat", "2. Sleep"}},
        SentenceRow{"Do:\n- eat\n- sleep", {"Do:", "- eat", "- sleep"}},
        SentenceRow{"* a\n* b", {"* a", "* b"}},
        SentenceRow{"It was 2025. Then 2026.", {"It was 2025.", "Then 2026."}},
        SentenceRow{"One\n\nTwo", {"One", "Two"}},
        SentenceRow{"A title\nwraps here", {"A title\nwraps here"}},
        SentenceRow{"Use `a. b` here. Ok.", {"Use `a. b` here.", "Ok."}},
        SentenceRow{"See [the. Docs](http://x.y z) now. Ok.",
                    {"See [the. Docs](http://x.y z) now.", "Ok."}},
        SentenceRow{"\u4eca\u65e5\u306f\u3002\u3044\u3044\uff01",
                    {"\u4eca\u65e5\u306f\u3002", "\u3044\u3044\uff01"}},
        SentenceRow{"\u300c\u306f\u3044\u3002\u300d\u3068",
                    {"\u300c\u306f\u3044\u3002\u300d", "\u3068"}},
        SentenceRow{"Version 1.2.3 is out. Get it.", {"Version 1.2.3 is out.", "Get it."}},
        SentenceRow{"Prof. Lee, Ph.D. spoke. Ok.", {"Prof. Lee, Ph.D. spoke.", "Ok."}},
        SentenceRow{"ok. that's fine", {"ok.", "that's fine"}},
        SentenceRow{"The board is 6 in. wide. Ok.", {"The board is 6 in. wide.", "Ok."}},
        SentenceRow{"He came in. Nobody spoke.", {"He came in.", "Nobody spoke."}},
        SentenceRow{"Go to Rm. 204 now. Ok.", {"Go to Rm. 204 now.", "Ok."}},
        SentenceRow{"Cats vs. dogs. Ok.", {"Cats vs. dogs.", "Ok."}}));

TEST(PhraseChunker, FirstPhraseIsAClause) {
  const auto phrases = Cut("Well, to be honest, I think it will be fine in the end.", {});
  ASSERT_GE(phrases.size(), 2u);
  EXPECT_EQ(phrases[0].text, "Well, to be honest,");
  EXPECT_EQ(phrases[0].end, PhraseEnd::kClause);
}

TEST(PhraseChunker, FirstPhraseIsAFewWordsWhereNoClauseComes) {
  const auto phrases = Cut("The quick brown fox jumps happily over lazy dogs today.", {});
  ASSERT_EQ(phrases.size(), 2u);
  EXPECT_EQ(phrases[0].text, "The quick brown fox jumps happily");
  EXPECT_EQ(phrases[0].end, PhraseEnd::kWord);
}

TEST(PhraseChunker, NoPauseAfterAWordThatLeansOnTheNext) {
  const auto phrases = Cut("She bought bread and milk in the shop near our home.", {});
  EXPECT_EQ(phrases[0].text, "She bought bread and milk");
  const auto names = Cut("People often visit places like New York and Los Angeles.", {});
  EXPECT_EQ(names[0].text, "People often visit places");
}

// An abbreviation stays with the word before it, however the text comes in.
TEST(PhraseChunker, NoPauseBeforeAnAbbreviation) {
  for (const std::string_view text :
       {"My old aunt now lives on 42nd St. in New York since May",
        "My old aunt always really loved Baker St. in New York since May",
        "My old aunt now works at conference Rm. number twelve since May"}) {
    std::string joined;
    PhraseChunker chunker;
    for (const char c : text) {
      for (const Phrase& p : chunker.Feed(std::string(1, c))) joined += p.text + "|";
    }
    for (const Phrase& p : chunker.Finish()) joined += p.text + "|";
    for (const std::string_view bad : {"|St.", "|Rm.", "St.|", "Rm.|"}) {
      EXPECT_EQ(joined.find(bad), std::string::npos) << joined;
    }
    EXPECT_LT(joined.find('|'), text.size() - 4) << joined;
  }
}

TEST(PhraseChunker, FirstPhraseLeavesAsSoonAsItIsCertain) {
  PhraseChunker chunker;
  EXPECT_TRUE(chunker.Feed("Sure.").empty());
  const auto phrases = chunker.Feed(" I");
  ASSERT_EQ(phrases.size(), 1u);
  EXPECT_EQ(phrases[0].text, "Sure.");
}

// 54: one sentence is cut at clauses, the first piece is short, later ones grow to about 160.
TEST(Case054, LongSentencesAreCutAtClauses) {
  std::string text = "To begin with, there is the matter of the house";
  for (int i = 0; i < 12; ++i) text += ", which was built long ago by a family of carpenters";
  text += ".";
  const auto phrases = Cut(text, {});
  ASSERT_GE(phrases.size(), 4u);
  EXPECT_LT(phrases[0].text.size(), 30u);
  for (size_t i = 0; i < phrases.size(); ++i) {
    EXPECT_LE(phrases[i].text.size(), 160u);
    const char last = phrases[i].text.back();
    EXPECT_TRUE(last == ',' || last == '.') << phrases[i].text;
    if (i >= 3 && i + 1 < phrases.size()) {
      EXPECT_GT(phrases[i].text.size(), 90u);
    }
  }
}

TEST(Case054, WithoutPunctuationCutsFallBetweenWords) {
  std::string text;
  for (int i = 0; i < 155; ++i) text += "words ";
  for (const Phrase& phrase : Cut(text, {})) {
    EXPECT_LE(phrase.text.size(), 160u);
    EXPECT_TRUE(phrase.text.starts_with("words") && phrase.text.ends_with("words"));
  }
}

TEST(PhraseChunker, AWordLongerThanTheLimitIsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\u20ac";
  const auto phrases = Cut(text, {.max_bytes = 20});
  std::string joined;
  for (const Phrase& phrase : phrases) {
    EXPECT_LE(phrase.text.size(), 20u);
    EXPECT_EQ(phrase.text.size() % 3, 0u);
    joined += phrase.text;
  }
  EXPECT_EQ(joined, text);
}

// 55: what has no boundary yet is spoken at the end all the same.
TEST(Case055, TheLastPartialIsFlushed) {
  PhraseChunker chunker;
  std::string spoken;
  for (const char c : std::string("Hello there my friend and good")) {
    for (const Phrase& p : chunker.Feed(std::string(1, c))) spoken += p.text + "|";
  }
  for (const Phrase& p : chunker.Finish()) spoken += p.text + "|";
  EXPECT_TRUE(spoken.ends_with("good|")) << spoken;
  EXPECT_EQ(chunker.pending_bytes(), 0u);
}

// 58: a phrase knows which part of the text it is.
TEST(Case058, RangesCoverTheText) {
  const std::string text = "  One two.  Three, four.\n\nFive \u20ac6. And a last bit ";
  size_t end = 0;
  int64_t index = 0;
  for (const Phrase& p : Cut(text, {})) {
    EXPECT_EQ(text.substr(p.begin_bytes, p.end_bytes - p.begin_bytes), p.text);
    EXPECT_EQ(p.index, index++);
    for (size_t i = end; i < p.begin_bytes; ++i) EXPECT_TRUE(text[i] == ' ' || text[i] == '\n');
    end = p.end_bytes;
  }
  EXPECT_EQ(text.substr(end), " ");
}

TEST(PhraseChunker, FlushGivesWholeWordsEarly) {
  PhraseChunker chunker;
  EXPECT_TRUE(chunker.Feed("the first few wor").empty());
  const auto phrases = chunker.Flush();
  ASSERT_EQ(phrases.size(), 1u);
  EXPECT_EQ(phrases[0].text, "the first few");
  const auto rest = chunker.Finish();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].text, "wor");
  EXPECT_EQ(rest[0].begin_bytes, 14u);
}

TEST(PhraseChunker, ShortSentencesJoinIfAsked) {
  const auto phrases = Cut("Sure. Yes. No. I will do that now.", {.join_bytes = 10});
  EXPECT_EQ(Texts(phrases), (std::vector<std::string>{"Sure.", "Yes. No. I will do that now."}));
}

TEST(PhraseChunker, IsReadyAfterFinish) {
  PhraseChunker chunker;
  chunker.Feed("One.");
  chunker.Finish();
  chunker.Feed("Two.");
  const auto phrases = chunker.Finish();
  ASSERT_EQ(phrases.size(), 1u);
  EXPECT_EQ(phrases[0].begin_bytes, 0u);
  EXPECT_EQ(phrases[0].index, 0);
}

TEST(PhraseChunker, AnyCutsOfRandomTextGiveTheSamePhrases) {
  const std::vector<std::string> parts = {
      "Hello", "world", "Dr.", "e.g.", "3.14", ".",  "!",      "?",      ",",
      " ",     " ",     " ",   "\n",   "\n\n", "- ", "1. ",    "U.S.",   "p.m.",
      "\"",    ")",     "(",   "`",    "[",    "](", "\u3002", "\u20ac", "..."};
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += parts[random() % parts.size()];
    const PhrasePolicy policy = {.grow_bytes = 12, .max_bytes = 48};
    const auto whole = Texts(Cut(text, policy));
    PhraseChunker chunker(policy);
    std::vector<std::string> streamed;
    for (size_t i = 0; i < text.size();) {
      const size_t size = 1 + random() % 6;
      for (const Phrase& p : chunker.Feed(text.substr(i, size))) streamed.push_back(p.text);
      i += size;
    }
    for (const Phrase& p : chunker.Finish()) streamed.push_back(p.text);
    EXPECT_EQ(streamed, whole) << text;
  }
}

}  // namespace
}  // namespace sotto
