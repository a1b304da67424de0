#include "backends/espeak/espeak_phonemizer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace sotto {
namespace {

TEST(EspeakPhonemizer, SaysHowToGetThePlugIn) {
  const auto missing = OpenEspeakPhonemizer({.plugin_path = "/nonexistent/libsotto_espeak.so"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), Code::kUnavailable);
  EXPECT_NE(missing.status().message().find("SOTTO_ESPEAK_PLUGIN"), std::string::npos);
}

TEST(EspeakPhonemizer, RefusesAnotherLibrary) {
  const auto other = OpenEspeakPhonemizer({.plugin_path = "libm.so.6"});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.status().code(), Code::kFailedPrecondition);
}

#ifdef SOTTO_ESPEAK_PLUGIN_FILE
TEST(EspeakPhonemizer, ReadsEnglish) {
  const auto phonemizer = OpenEspeakPhonemizer({.plugin_path = SOTTO_ESPEAK_PLUGIN_FILE});
  ASSERT_TRUE(phonemizer.ok()) << phonemizer.status().ToString();
  const auto out = (*phonemizer)->Phonemize("Hello world, yes.", PhonemeAlphabet::kEspeakIpa);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(*out, "h\u0259l\u02c8o\u028a w\u02c8\u025c\u02d0ld, j\u02c8\u025bs.");
  EXPECT_EQ(*(*phonemizer)->Phonemize("?!", PhonemeAlphabet::kEspeakIpa), "");
  EXPECT_EQ((*phonemizer)->Phonemize("hello", PhonemeAlphabet::kMisaki).status().code(),
            Code::kUnimplemented);
  EXPECT_EQ(OpenEspeakPhonemizer({.plugin_path = "", .voice = "de"}).status().code(),
            Code::kFailedPrecondition);
}

// 50: espeak-ng would say "chinese letter".
TEST(Case050, EspeakRefusesOtherScripts) {
  const auto phonemizer = OpenEspeakPhonemizer({.plugin_path = SOTTO_ESPEAK_PLUGIN_FILE});
  ASSERT_TRUE(phonemizer.ok());
  const auto out = (*phonemizer)->Phonemize("\u6f22\u5b57", PhonemeAlphabet::kEspeakIpa);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.status().code(), Code::kInvalidArgument);
  EXPECT_NE(out.status().message().find("U+6F22"), std::string::npos);
}
#endif

}  // namespace
}  // namespace sotto
