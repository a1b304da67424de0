#include "store/pack.h"

#include <gtest/gtest.h>

#include "store/builtin.h"
#include "store/catalogue.h"

namespace sotto {
namespace {

std::string_view Text(std::string_view name) {
  for (const BuiltinFile& file : BuiltinFiles()) {
    if (file.name == name) {
      return file.text;
    }
  }
  return "";
}

PackManifest Builtin(const std::string& id) {
  const Result<PackManifest> pack = PackManifest::Parse(Text("packs/" + id + "/manifest.json"), id);
  EXPECT_TRUE(pack.ok()) << pack.status().ToString();
  return *pack;
}

TEST(Pack, BuiltInPacksHaveEveryRole) {
  for (const char* id : {"mini-en", "small-en"}) {
    const PackManifest pack = Builtin(id);
    for (const char* role :
         {"text", "asr", "vad", "turn", "tts", "embedding", "speaker", "lexicon"}) {
      EXPECT_NE(pack.ModelFor(role, ""), "") << role;
    }
    EXPECT_NE(pack.ModelFor("asr", "fast"), pack.ModelFor("asr", "best"));
    EXPECT_EQ(pack.ModelFor("asr", "best"), pack.ModelFor("asr", "accurate"));
    EXPECT_NE(pack.ModelFor("tts", "fast"), pack.ModelFor("tts", "best"));
    EXPECT_EQ(pack.ModelFor("tts", "best"), pack.ModelFor("tts", "better"));
    EXPECT_EQ(pack.ModelFor("vad", "fast"), pack.ModelFor("vad", ""));  // has no profiles
    EXPECT_EQ(pack.ModelFor("cook", ""), "");
  }
}

TEST(Pack, BuiltInPacksAgreeWithTheCatalogue) {
  const Result<Catalogue> catalogue = Catalogue::Parse(Text("catalogue.json"), "catalogue");
  ASSERT_TRUE(catalogue.ok());
  EXPECT_EQ(Builtin("mini-en").CheckAgainst(*catalogue), OkStatus());
  EXPECT_EQ(Builtin("small-en").CheckAgainst(*catalogue), OkStatus());
  PackManifest changed = Builtin("mini-en");
  changed.files[0].size_bytes += 1;
  EXPECT_EQ(changed.CheckAgainst(*catalogue).code(), Code::kDataLoss);
  changed = Builtin("mini-en");
  changed.files[0].role = "asr";
  EXPECT_EQ(changed.CheckAgainst(*catalogue).code(), Code::kDataLoss);
}

TEST(Pack, MiniPrimerShowsFourTurns) {
  const Primer primer = Builtin("mini-en").primer;
  EXPECT_FALSE(primer.system.empty());
  EXPECT_EQ(primer.examples.size(), 4u);
  // Answers are spoken: no markup in what the model is shown.
  for (const PrimerExample& example : primer.examples) {
    EXPECT_EQ(example.assistant.find_first_of("*#`_[]|\n"), std::string::npos);
  }
}

// The manifest of mini-en with one text replaced.
std::string Changed(const std::string& from, const std::string& to) {
  std::string text(Text("packs/mini-en/manifest.json"));
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? "" : text.replace(at, from.size(), to);
}

TEST(Pack, NamesThePlaceThatIsWrong) {
  struct Case {
    const char* from;
    const char* to;
    const char* where;
  };
  for (const Case& c : {
           Case{"\"sotto.pack\"", "\"other\"", "schema other"},
           Case{"\"schema_version\": 1", "\"schema_version\": 9", "newer"},
           Case{"\"id\": \"mini-en\"", "\"id\": \"../x\"", "id or version"},
           Case{"\"role\": \"text\"", "\"role\": \"cook\"", "lineage[0]"},
           Case{"\"base\": \"HuggingFaceTB/SmolLM2-135M-Instruct\"", "\"base\": \"\"",
                "lineage[0]"},
           Case{"\"role\": \"text\",\n   \"base\"", "\"role\": \"vad\",\n   \"base\"",
                "nothing for role text"},
           Case{"\"path\": \"sotto-text-mini.gguf\"", "\"path\": \"../../x\"", "files[0]"},
           Case{"b179c9523d0e", "B179c9523d0e", "sha256"},
           Case{"\"min\": 1000", "\"min\": 5000", "ram_budget_mb"},
           Case{"\"min\": 1000", "\"min\": 0", "ram_budget_mb"},
           Case{"\"status\": \"skipped\"", "\"status\": \"maybe\"", "verified_backends[0]"},
           Case{"\"release_state\": \"candidate\"", "\"release_state\": \"best\"", "provenance"},
           Case{"\"value\": 0.03,", "\"value\": null,", "did not pass"},
           Case{"\"system\": \"You", "\"system\": 7, \"x\": \"You", "primer.system"},
       }) {
    const Status status = PackManifest::Parse(Changed(c.from, c.to), "p").status();
    EXPECT_EQ(status.code(), Code::kDataLoss) << c.to;
    EXPECT_NE(status.message().find(c.where), std::string::npos)
        << c.to << " -> " << status.message();
  }
}

TEST(Pack, LongPrimersAreRefused) {
  const std::string text =
      Changed("\"system\": \"You", "\"system\": \"" + std::string(9000, 'x') + "You");
  EXPECT_NE(PackManifest::Parse(text, "p").status().message().find("primer"), std::string::npos);
}

TEST(Pack, WhatWasNotMeasuredHasNoValue) {
  for (const PackEval& eval : Builtin("mini-en").evals) {
    if (eval.evidence == "not measured") {
      EXPECT_FALSE(eval.value.has_value());
      EXPECT_FALSE(eval.passed.has_value());
    }
  }
}

}  // namespace
}  // namespace sotto
