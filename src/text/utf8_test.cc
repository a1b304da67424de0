#include "text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sotto {
namespace {

struct ValidityRow {
  std::string bytes;
  size_t bad;
};

class ValidityTest : public testing::TestWithParam<ValidityRow> {};

TEST_P(ValidityTest, FindsTheFirstBadByte) {
  EXPECT_EQ(ValidateUtf8(GetParam().bytes), GetParam().bad);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ValidityTest,
    testing::Values(
        ValidityRow{"", kValidUtf8}, ValidityRow{"plain", kValidUtf8},
        ValidityRow{"\u00e9\u20ac\U0001F600", kValidUtf8},
        ValidityRow{std::string("a\0b", 3), kValidUtf8}, ValidityRow{"\xC2\x80", kValidUtf8},
        ValidityRow{"\xDF\xBF", kValidUtf8}, ValidityRow{"\xE0\xA0\x80", kValidUtf8},
        ValidityRow{"\xED\x9F\xBF", kValidUtf8}, ValidityRow{"\xEE\x80\x80", kValidUtf8},
        ValidityRow{"\xF0\x90\x80\x80", kValidUtf8}, ValidityRow{"\xF4\x8F\xBF\xBF", kValidUtf8},
        ValidityRow{"\x80", 0}, ValidityRow{"a\xBF", 1}, ValidityRow{"ab\xC0\xAF", 2},
        ValidityRow{"\xC1\xBF", 0}, ValidityRow{"\xE0\x80\x80", 0}, ValidityRow{"\xE0\x9F\xBF", 0},
        ValidityRow{"x\xED\xA0\x80", 1}, ValidityRow{"\xED\xBF\xBF", 0},
        ValidityRow{"\xF0\x80\x80\x80", 0}, ValidityRow{"\xF4\x90\x80\x80", 0},
        ValidityRow{"\xF5\x80\x80\x80", 0}, ValidityRow{"\xFF", 0}, ValidityRow{"abc\xC3", 3},
        ValidityRow{"abc\xE2\x82", 3}, ValidityRow{"\xF0\x9F\x98", 0}, ValidityRow{"\xC3\x28", 0},
        ValidityRow{"\xE2\x28\xA1", 0}, ValidityRow{"\xE2\x82\x28", 0}));

TEST(Utf8, DecodesAndAppendsTheSame) {
  for (const char32_t c : {U'a', U'\u00e9', U'\u20ac', U'\U0001F600', U'\U0010FFFF'}) {
    std::string text;
    AppendUtf8(c, text);
    const CodePoint back = DecodeUtf8(text, 0);
    EXPECT_EQ(back.value, c);
    EXPECT_EQ(back.size_bytes, text.size());
  }
  std::string text;
  AppendUtf8(0xD800, text);
  AppendUtf8(0x110000, text);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

TEST(Utf8, FloorsToWholeCharacters) {
  const std::string text = "a\u20acb";
  EXPECT_EQ(FloorToCharacter(text, 0), 0u);
  EXPECT_EQ(FloorToCharacter(text, 1), 1u);
  EXPECT_EQ(FloorToCharacter(text, 2), 1u);
  EXPECT_EQ(FloorToCharacter(text, 3), 1u);
  EXPECT_EQ(FloorToCharacter(text, 4), 4u);
  EXPECT_EQ(FloorToCharacter(text, 99), 5u);
}

TEST(Utf8, PrefixLeavesOutAnUnfinishedCharacter) {
  EXPECT_EQ(WholeCharactersPrefix("ab"), 2u);
  EXPECT_EQ(WholeCharactersPrefix("ab\xC3"), 2u);
  EXPECT_EQ(WholeCharactersPrefix("ab\xE2\x82"), 2u);
  EXPECT_EQ(WholeCharactersPrefix("ab\xF0\x9F\x98"), 2u);
  EXPECT_EQ(WholeCharactersPrefix("ab\xE2\x82\xAC"), 5u);
  EXPECT_EQ(WholeCharactersPrefix("ab\x80"), 3u);
  EXPECT_EQ(WholeCharactersPrefix("ab\xE0\x80"), 4u);
}

// 90, 91, 93: tokens end inside characters; whatever leaves is whole and valid.
TEST(Case090, EveryDeltaIsValidForEveryCut) {
  const std::string text = "na\u00efve \u20ac5 \U0001F468\u200D\U0001F4BB \u4e2d";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    Utf8Gate gate;
    const std::string first = gate.Feed(text.substr(0, cut));
    const std::string second = gate.Feed(text.substr(cut));
    EXPECT_EQ(ValidateUtf8(first), kValidUtf8) << cut;
    EXPECT_EQ(ValidateUtf8(second), kValidUtf8) << cut;
    EXPECT_EQ(first + second + gate.Finish(), text) << cut;
  }
}

TEST(Case091, TwoStreamsDoNotMix) {
  Utf8Gate a;
  Utf8Gate b;
  EXPECT_EQ(a.Feed("\xE2\x82"), "");
  EXPECT_EQ(b.Feed("\xF0\x9F"), "");
  EXPECT_EQ(a.Feed("\xAC"), "\u20ac");
  EXPECT_EQ(b.Feed("\x98\x80"), "\U0001F600");
}

TEST(Case093, InvalidBytesFollowThePolicy) {
  struct Row {
    std::string bytes;
    std::string dropped;
    std::string replaced;
  };
  const Row rows[] = {
      {"a\xFFz", "az", "a\uFFFDz"},
      {"a\xC3z", "az", "a\uFFFDz"},
      {"\xE2\x82z", "z", "\uFFFDz"},
      {"\xE2\x82", "", "\uFFFD"},
      {"\xF0\x9F\x98\xF0\x9F\x98\x80", "\U0001F600", "\uFFFD\U0001F600"},
      {"\xED\xA0\x80", "", "\uFFFD\uFFFD\uFFFD"},
      {"\xC0\xAF", "", "\uFFFD\uFFFD"},
      {"\x80\x80", "", "\uFFFD\uFFFD"},
  };
  for (const Row& row : rows) {
    for (const bool bytewise : {false, true}) {
      Utf8Gate drop(Utf8Gate::Policy::kDrop);
      Utf8Gate replace(Utf8Gate::Policy::kReplace);
      std::string dropped;
      std::string replaced;
      const size_t step = bytewise ? 1 : row.bytes.size();
      for (size_t i = 0; i < row.bytes.size(); i += step) {
        dropped += drop.Feed(row.bytes.substr(i, step));
        replaced += replace.Feed(row.bytes.substr(i, step));
      }
      EXPECT_EQ(dropped + drop.Finish(), row.dropped);
      EXPECT_EQ(replaced + replace.Finish(), row.replaced);
      EXPECT_EQ(drop.held_bytes(), 0u);
    }
  }
}

TEST(Utf8, KnowsScripts) {
  EXPECT_EQ(ScriptOf('a'), Script::kLatin);
  EXPECT_EQ(ScriptOf('1'), Script::kCommon);
  EXPECT_EQ(ScriptOf(0xE9), Script::kLatin);
  EXPECT_EQ(ScriptOf(0x3B1), Script::kGreek);
  EXPECT_EQ(ScriptOf(0x416), Script::kCyrillic);
  EXPECT_EQ(ScriptOf(0x4E2D), Script::kHan);
  EXPECT_EQ(ScriptOf(0x3042), Script::kKana);
  EXPECT_EQ(ScriptOf(0xAC00), Script::kHangul);
  EXPECT_EQ(ScriptOf(0x5D0), Script::kOther);
  EXPECT_EQ(ScriptOf(0x627), Script::kOther);
  EXPECT_EQ(ScriptOf(0x1F600), Script::kCommon);
  EXPECT_TRUE(IsPictograph(0x1F600));
  EXPECT_TRUE(IsPictograph(0x2705));
  EXPECT_TRUE(IsPictograph(0x2500));
  EXPECT_FALSE(IsPictograph('a'));
  EXPECT_FALSE(IsPictograph(0x20AC));
  EXPECT_TRUE(IsInvisible(0x200D));
  EXPECT_TRUE(IsInvisible(0xFE0F));
  EXPECT_TRUE(IsCjkStop(0x3002));
  EXPECT_TRUE(IsCjk(0x3042));
  EXPECT_EQ(CodePointName(0x4E2D), "U+4E2D");
}

}  // namespace
}  // namespace sotto
