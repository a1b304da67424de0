#include "text/speech_filter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace sotto {
namespace {

std::string Filter(std::string_view text, SpeechFilterOptions options = {}) {
  SpeechFilter filter(std::move(options));
  std::string out = filter.Feed(text);
  return out + filter.Finish();
}

struct Row {
  std::string text;
  std::string spoken;
};

class FilterTest : public testing::TestWithParam<Row> {};

TEST_P(FilterTest, SaysWhatASpeakerWould) { EXPECT_EQ(Filter(GetParam().text), GetParam().spoken); }

TEST_P(FilterTest, StreamedEqualsWhole) {
  const std::string& text = GetParam().text;
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    SpeechFilter filter;
    std::string out = filter.Feed(text.substr(0, cut));
    out += filter.Feed(text.substr(cut));
    out += filter.Finish();
    EXPECT_EQ(out, GetParam().spoken) << cut;
  }
  SpeechFilter filter;
  std::string out;
  for (const char c : text) out += filter.Feed(std::string(1, c));
  EXPECT_EQ(out + filter.Finish(), GetParam().spoken);
}

INSTANTIATE_TEST_SUITE_P(
    Case042Markdown, FilterTest,
    testing::Values(Row{"", ""}, Row{"Plain text stays.", "Plain text stays."},
                    Row{"This is **bold** text.", "This is bold text."},
                    Row{"This is *soft* text.", "This is soft text."},
                    Row{"This is __bold__ text.", "This is bold text."},
                    Row{"This is _soft_ text.", "This is soft text."},
                    Row{"***Both*** at once.", "Both at once."}, Row{"~~gone~~ here", "gone here"},
                    Row{"[a link](https://x.y/z?q=1) here", "a link here"},
                    Row{"![a cat](cat.png) sits", "a cat sits"},
                    Row{"see [docs][1] now", "see docs now"}, Row{"noted[^1] here", "noted here"},
                    Row{"**[b](u)**", "b"}, Row{"<https://example.com/a>", "https://example.com/a"},
                    Row{"a \\* b", "a * b"}, Row{"2 * 3 is 6", "2 * 3 is 6"},
                    Row{"2*3 is 6", "2*3 is 6"}, Row{"snake_case_name", "snake_case_name"},
                    Row{"about ~5 people", "about ~5 people"},
                    Row{"**unclosed bold", "unclosed bold"}));

INSTANTIATE_TEST_SUITE_P(
    Case043Marks, FilterTest,
    testing::Values(Row{"# Title\nText.", "Title. Text."},
                    Row{"### Deep title\n\nText.", "Deep title.\n\nText."},
                    Row{"Title\n=====\nText.", "Title. Text."},
                    Row{"#hashtag stays", "#hashtag stays"},
                    Row{"Use `code` here.", "Use code here."},
                    Row{"Use ``co`de`` here.", "Use code here."},
                    Row{"> quoted text", "quoted text"}, Row{">> twice", "twice"},
                    Row{"Run this:\n```python\nprint(1)\n```\nDone.", "Run this: Done."},
                    Row{"~~~\ncode\n~~~\nafter", "after"}, Row{"```\nnever closed", ""},
                    Row{"```\na\n````\nb", "b"}, Row{"```` \n```\ninner\n````\nb", "b"},
                    Row{"Say:\n```\nx", "Say:"}));

INSTANTIATE_TEST_SUITE_P(
    Case045Pictures, FilterTest,
    testing::Values(Row{"Done \u2705", "Done"}, Row{"\u2705 Done\n\u274C Not", "Done. Not"},
                    Row{"Hi \U0001F600!", "Hi!"}, Row{"Great\U0001F44Djob", "Great job"},
                    Row{"\U0001F468\u200D\U0001F4BB codes", "codes"},
                    Row{"\u2764\uFE0F you", "you"}, Row{"\U0001F1EB\U0001F1F7 France", "France"},
                    Row{"1\uFE0F\u20E3 one", "1 one"}, Row{"\u2500\u2500\u2500 box \u2502", "box"},
                    Row{"a\n---\nb", "a. b"}, Row{"a\n* * *\nb", "a. b"}, Row{"a\n___\nb", "a. b"},
                    Row{"| a | b |\n|---|---|\n| 1 | 2 |\nAfter.", "After."},
                    Row{"Look:\n\n| a |\n|---|\n| 1 |\n\nAfter.", "Look:\n\nAfter."},
                    Row{"+---+\n| x |\n+---+\nEnd.", "End."}, Row{"soft\u00ADhyphen", "softhyphen"},
                    Row{"zero\u200Bwidth", "zerowidth"}, Row{"bad \xFF byte", "bad byte"}));

INSTANTIATE_TEST_SUITE_P(
    Case046Lists, FilterTest,
    testing::Values(
        Row{"- apples\n- pears", "apples. pears"}, Row{"* apples\n* pears\n", "apples. pears"},
        Row{"+ apples\n+ pears", "apples. pears"},
        Row{"\u2022 apples\n\u2022 pears", "apples. pears"},
        Row{"Buy:\n- apples\n- pears\nThanks.", "Buy: apples. pears. Thanks."},
        Row{"- done.\n- next!", "done. next!"}, Row{"1. Eat\n2. Sleep", "1, Eat. 2, Sleep"},
        Row{"1) Eat\n2) Sleep", "1, Eat. 2, Sleep"}, Row{"- [ ] open\n- [x] done", "open. done"},
        Row{"  - nested\n    - deeper", "nested. deeper"}, Row{"2025. A year.", "2025. A year."},
        Row{"5 - 3 is 2", "5 - 3 is 2"}, Row{"-5 degrees", "-5 degrees"}));

INSTANTIATE_TEST_SUITE_P(
    Case049Typography, FilterTest,
    testing::Values(Row{"I\u2019m here, it\u2019s fine", "I'm here, it's fine"},
                    Row{"\u201CQuoted\u201D", "\"Quoted\""}, Row{"one \u2014 two", "one, two"},
                    Row{"one\u2014two", "one, two"}, Row{"one \u2013 two", "one, two"},
                    Row{"10\u201320 people", "10-20 people"}, Row{"one -- two", "one, two"},
                    Row{"one - two", "one, two"}, Row{"well\u2011known", "well-known"},
                    Row{"wait\u2026 what", "wait... what"}, Row{"a\u00A0b", "a b"},
                    Row{"in\u202Fbetween", "in between"}));

INSTANTIATE_TEST_SUITE_P(
    Spans, FilterTest,
    testing::Values(
        Row{"<think>secret</think>Answer.", "Answer."},
        Row{"<think>\nlong\n\n</think>\n\nHi.", "Hi."}, Row{"<think>never closed", ""},
        Row{"<thinking>x</thinking>y", "y"}, Row{"<|channel>thought\nhm<channel|>Seen.", "Seen."},
        Row{"<|channel|>analysis<|message|>hm<|end|>Seen.", "Seen."},
        Row{"A<|tool_call>{\"x\":1}<tool_call|>B", "A B"}, Row{"a <!-- c --> b", "a b"},
        Row{"x <b>bold</b> y", "x bold y"}, Row{"one<br>two", "one, two"},
        Row{"<p>One</p><p>Two</p>", "One. Two"}, Row{"if a < b then", "if a < b then"},
        Row{"a <3 b", "a <3 b"}, Row{"AT&amp;T &lt; x", "AT&T < x"}, Row{"R&B", "R&B"},
        Row{"a vector<int> here", "a vector int here"}, Row{"List<String>.", "List String."},
        Row{"if x <y and y> z", "if x <y and y> z"}, Row{"say <name> now", "say name now"},
        Row{"a <em>b</em> c", "a b c"}, Row{"x</think>y", "xy"}, Row{"hi<|im_end|>", "hi"}));

INSTANTIATE_TEST_SUITE_P(
    SpeechMarkup, FilterTest,
    testing::Values(Row{"<speak>Hi.<break time=\"1s\"/>Bye.</speak>", "Hi. Bye."},
                    Row{"<speak>Hi<break/>Bye</speak>", "Hi, Bye"},
                    Row{"<prosody rate=\"slow\">So</prosody> slow", "So slow"},
                    Row{"say <say-as interpret-as=\"date\">2020</say-as>", "say 2020"},
                    Row{"<s>One.</s><s>Two.</s>", "One. Two."},
                    Row{"<?xml version=\"1.0\"?><p>One</p>", "One"},
                    Row{"one <x:mood kind=\"glad\">two</x:mood>", "one two"},
                    Row{"map<string, vector<int>> m", "map string, vector int m"},
                    Row{"it&#39;s &#x201C;fine&#x201D;", "it's \"fine\""},
                    Row{"caf&eacute; &bogus; &#x;", "caf\u00e9 &bogus; &#x;"},
                    Row{"a &amp", "a &amp"}, Row{"nul&#0;&#1114112; ok", "nul ok"},
                    Row{"a&#8212;b&#10;c", "a, b c"}));

INSTANTIATE_TEST_SUITE_P(CodeOperators, FilterTest,
                         testing::Values(Row{"a != b", "a != b"}, Row{"x := 5", "x := 5"},
                                         Row{"a >= b", "a >= b"}, Row{"a <= b", "a <= b"},
                                         Row{"a -> b", "a -> b"}, Row{"a == b", "a == b"},
                                         Row{">= 5", ">= 5"}, Row{"> quote", "quote"},
                                         Row{"a || b", "a || b"}, Row{"a | b", "a, b"},
                                         Row{"x ||hidden|| y", "x, hidden, y"}));

INSTANTIATE_TEST_SUITE_P(
    Screens, FilterTest,
    testing::Values(Row{"Hi :-)", "Hi"}, Row{"Nice ;) work", "Nice work"}, Row{"Good :).", "Good."},
                    Row{":-( Sad", "Sad"}, Row{"Fun :D yes", "Fun yes"}, Row{"(ok :-))", "(ok)"},
                    Row{"Thanks:-) all", "Thanks all"}, Row{"ratio 3:1", "ratio 3:1"},
                    Row{"Note: (a)", "Note: (a)"}, Row{"list:Dog", "list:Dog"},
                    Row{"a :Dog", "a :Dog"}, Row{"\x1B[31mred\x1B[0m text", "red text"},
                    Row{"\x1B[1;32m# Title\x1B[0m\nok", "Title. ok"},
                    Row{"a\x1B]0;title\x07 b", "a b"}, Row{"a\x1B", "a"}));

INSTANTIATE_TEST_SUITE_P(
    Lines, FilterTest,
    testing::Values(Row{"A line\nwraps here", "A line wraps here"},
                    Row{"Roses are red\nViolets", "Roses are red, Violets"},
                    Row{"One.\n\nTwo.", "One.\n\nTwo."}, Row{"One\n\nTwo", "One.\n\nTwo"},
                    Row{"a   b\t c", "a b c"}, Row{"crlf\r\n\r\nnext", "crlf.\n\nnext"},
                    Row{"word , comma", "word, comma"}, Row{"use .NET now", "use .NET now"},
                    Row{"a .5 b", "a .5 b"}, Row{"end.  ", "end."}));

TEST(SpeechFilter, ReadsCellsIfAsked) {
  SpeechFilterOptions options;
  options.tables = SpeechFilterOptions::Tables::kReadCells;
  EXPECT_EQ(Filter("| Name | Age |\n|---|---|\n| Bob | 12 |\nEnd.", options),
            "Name, Age. Bob, 12. End.");
}

TEST(SpeechFilter, TakesOtherSpans) {
  SpeechFilterOptions options;
  options.withheld = {{"[[", "]]"}};
  EXPECT_EQ(Filter("a [[hidden]] b <think>c", options), "a b c");
}

// 58: what was heard maps back to the displayed text.
TEST(Case058, OutputMapsToTheSource) {
  const std::string text = "Hi **bold** \U0001F600 word.";
  SpeechFilter filter;
  std::string out = filter.Feed(text);
  out += filter.Finish();
  ASSERT_EQ(out, "Hi bold word.");
  EXPECT_EQ(filter.SourceOffset(0), 0u);
  EXPECT_EQ(filter.SourceOffset(out.find("bold")), text.find("bold"));
  EXPECT_EQ(filter.SourceOffset(out.find("word")), text.find("word"));
  EXPECT_EQ(filter.SourceOffset(out.size()), text.size());
}

TEST(SpeechFilter, HoldsBackLittle) {
  SpeechFilter filter;
  std::string out = filter.Feed("Hello there, this is plain");
  EXPECT_EQ(out, "Hello there, this is plain");
}

TEST(SpeechFilter, IsReadyAfterFinish) {
  SpeechFilter filter;
  filter.Feed("<think>open");
  filter.Finish();
  EXPECT_EQ(filter.Feed("Next. ") + filter.Finish(), "Next.");
}

TEST(SpeechFilter, AnyCutsOfRandomMarkupGiveTheSame) {
  const std::vector<std::string> parts = {
      "word", " ",       " ",       "\n",       "\n\n",  "*",      "**",     "_",          "`",
      "```",  "#",       "# ",      "- ",       "1. ",   "|",      "[",      "](",         ")",
      "<",    ">",       "<think>", "</think>", "&amp;", "\u2019", "\u2014", "\U0001F600", ".",
      ",",    "---",     "5",       "<b>",      "!",     "\\",     "~~",     "==",         "&#",
      ";",    "<x a=\"", "\"/>",    "!=",       "|| ",   ">= ",    "x41"};
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += parts[random() % parts.size()];
    const std::string whole = Filter(text);
    SpeechFilter filter;
    std::string streamed;
    for (size_t i = 0; i < text.size();) {
      const size_t size = 1 + random() % 5;
      streamed += filter.Feed(text.substr(i, size));
      i += size;
    }
    EXPECT_EQ(streamed + filter.Finish(), whole) << text;
  }
}

}  // namespace
}  // namespace sotto
