#include "store/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "store/builtin.h"

namespace sotto {
namespace {

Catalogue Builtin() {
  for (const BuiltinFile& file : BuiltinFiles()) {
    if (file.name == "catalogue.json") {
      Result<Catalogue> catalogue = Catalogue::Parse(file.text, "catalogue");
      EXPECT_TRUE(catalogue.ok()) << catalogue.status().ToString();
      return *std::move(catalogue);
    }
  }
  ADD_FAILURE() << "no catalogue built in";
  return {};
}

TEST(Catalogue, BuiltInHoldsWhatPeopleWillPull) {
  const Catalogue catalogue = Builtin();
  for (const char* id : {"sotto-text-mini",
                         "sotto-text-small",
                         "whisper-tiny.en-q8_0",
                         "whisper-base-q8_0",
                         "silero-vad-v6",
                         "smart-turn-v3.2",
                         "piper-joe-en-us",
                         "kokoro-82m-int8",
                         "all-minilm-l6-v2-q8_0",
                         "ge2e-speaker",
                         "misaki-lexicon-en-us",
                         "gemma-3-270m-base",
                         "gemma-4-e2b-it",
                         "gemma-4-e4b-it",
                         "gemma-4-12b-it",
                         "gemma-4-26b-a4b-it",
                         "gemma-4-31b-it",
                         "whisper-large-v3-turbo",
                         "parakeet-tdt-0.6b-v3-q8_0",
                         "piper-lessac-en-us"}) {
    EXPECT_NE(catalogue.Find(id), nullptr) << id;
  }
}

TEST(Catalogue, CompanionsExistAndHaveTheirRole) {
  const Catalogue catalogue = Builtin();
  int seen = 0;
  for (const CatalogueModel& model : catalogue.models()) {
    for (const auto& [role, id] : model.companions) {
      const CatalogueModel* companion = catalogue.Find(id);
      ASSERT_NE(companion, nullptr) << model.id << ": " << id;
      EXPECT_EQ(companion->role, role) << id;
      ++seen;
    }
  }
  EXPECT_GE(seen, 10);  // five Gemma 4 sizes with a drafter and a projector each
}

TEST(Catalogue, HashesUnknownHereSaySo) {
  int pinned = 0;
  const Catalogue catalogue = Builtin();
  for (const CatalogueModel& model : catalogue.models()) {
    for (const CatalogueFile& file : model.files) {
      if (file.pinned_at_pull()) {
        EXPECT_NE(model.notes.find("pinned"), std::string::npos) << model.id;
        ++pinned;
      } else {
        EXPECT_GT(file.size_bytes, 0u) << model.id;
      }
    }
  }
  EXPECT_GT(pinned, 20);
}

TEST(Catalogue, BrandsAreNotTheBaseNames) {
  const Catalogue catalogue = Builtin();
  const CatalogueModel* model = catalogue.Find("smollm2-135m-instruct-q4_1");  // an alias
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->id, "sotto-text-mini");
  EXPECT_EQ(model->name.find("SmolLM"), std::string::npos);
  EXPECT_EQ(model->files[0].name.find("SmolLM"), std::string::npos);
  EXPECT_EQ(model->lineage.base, "HuggingFaceTB/SmolLM2-135M-Instruct");
}

TEST(Source, ReadsEverySpelling) {
  struct Case {
    const char* text;
    Source::Kind kind;
    const char* name;
    const char* version;
    const char* path;
  };
  for (const Case& c : {
           Case{"hf:org/repo/dir/f.gguf", Source::Kind::kHub, "org/repo", "main", "dir/f.gguf"},
           Case{"hf:org/repo@v1/f", Source::Kind::kHub, "org/repo", "v1", "f"},
           Case{"pypi:a-b==1.0.0!a_b/x.bin", Source::Kind::kPypi, "a-b", "1.0.0", "a_b/x.bin"},
           Case{"npm:kokoro-js@1.2.1!package/v.bin", Source::Kind::kNpm, "kokoro-js", "1.2.1",
                "package/v.bin"},
           Case{"npm:@s/n@0.1!p/f", Source::Kind::kNpm, "@s/n", "0.1", "p/f"},
           Case{"https://h.example/f?x=1", Source::Kind::kUrl, "", "", "https://h.example/f?x=1"},
           Case{"file:/a b/c", Source::Kind::kFile, "", "", "/a b/c"},
       }) {
    const Result<Source> source = ParseSource(c.text);
    ASSERT_TRUE(source.ok()) << source.status().ToString();
    EXPECT_EQ(source->kind, c.kind) << c.text;
    EXPECT_EQ(source->name, c.name) << c.text;
    EXPECT_EQ(source->version, c.version) << c.text;
    EXPECT_EQ(source->path, c.path) << c.text;
    EXPECT_EQ(source->text, c.text);
  }
}

TEST(Source, RefusesWhatHasNoPlaceInPathsAndCommandLines) {
  for (const std::string_view text : {"",
                                      "hf:",
                                      "hf:org",
                                      "hf:org/repo",
                                      "hf:org/repo/../x",
                                      "hf:../repo/x",
                                      "hf:org/repo/",
                                      "hf:org/re po/x",
                                      "hf:org/repo@-x/f",
                                      "hf:/repo/f",
                                      "hf:org//f",
                                      "pypi:a",
                                      "pypi:a==1",
                                      "pypi:-a==1!x",
                                      "pypi:a==-1!x",
                                      "pypi:a==1!../x",
                                      "pypi:a==1!/x",
                                      "pypi:==1!x",
                                      "pypi:a b==1!x",
                                      "pypi:a==1 --index-url=x!x",
                                      "npm:a!x",
                                      "npm:@1!x",
                                      "npm:-a@1!x",
                                      "npm:a@1!..",
                                      "npm:@s@1!x",
                                      "npm:a;b@1!x",
                                      "https://",
                                      "https:///x",
                                      "https://u:p@h/x",
                                      "https://h/a b",
                                      "https://h/\n",
                                      "ftp://h/x",
                                      "file:x",
                                      "file:",
                                      "/etc/passwd",
                                      "x"}) {
    const Result<Source> source = ParseSource(text);
    EXPECT_FALSE(source.ok()) << text;
    if (!source.ok()) {
      EXPECT_EQ(source.status().code(), Code::kInvalidArgument);
    }
  }
  EXPECT_FALSE(ParseSource("hf:a/b/" + std::string(5000, 'x')).ok());
}

std::string OneModel(const std::string& changed_file, const std::string& more = "") {
  return R"({"schema_version": 1, "models": [{"id": "m", "role": "text", "architecture": "a",
    "lineage": {"base": "b"}, "licence": {"id": "MIT"})" +
         more + R"(, "files": [)" + changed_file + "]}]}";
}

const std::string kHash(64, 'a');

TEST(Catalogue, NamesThePlaceThatIsWrong) {
  const std::string good = R"({"name": "f", "format": "gguf", "sha256": ")" + kHash +
                           R"(", "size_bytes": 1, "sources": ["file:/x"]})";
  ASSERT_TRUE(Catalogue::Parse(OneModel(good), "c").ok());
  struct Case {
    std::string file;
    const char* where;
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string file = good;
    file.replace(file.find(from), from.size(), to);
    return file;
  };
  for (const Case& c : {
           Case{"", "c.models[0]: files"},
           Case{good + "," + good, "name appears twice"},
           Case{with("\"f\"", "\"../f\""), "c.models[0].files[0]: name"},
           Case{with("\"f\"", "\"/etc/passwd\""), "name"},
           Case{with("\"f\"", "\"receipt.json\""), "name"},
           Case{with("\"f\"", "7"), "c.models[0].files[0].name: not a string"},
           Case{with("gguf", "exe"), "format is none of"},
           Case{with(kHash, "A" + kHash.substr(1)), "sha256"},
           Case{with(kHash, "hub"), "allows single hf: sources only"},
           Case{with("1,", "-1,"), "size_bytes"},
           Case{with("1,", "1.5,"), "size_bytes"},
           Case{with("1,", "18446744073709551615,"), "size_bytes is over"},
           Case{with("[\"file:/x\"]", "[]"), "sources"},
           Case{with("[\"file:/x\"]", "[\"x\"]"), "files[0].sources[0]: source: x"},
           Case{with("[\"file:/x\"]", R"([{"concatenate": []}])"), "concatenate needs 1"},
           Case{with("[\"file:/x\"]", R"([{"convert": "../x", "inputs": []}])"), "convert"},
           Case{with("[\"file:/x\"]", R"([{"convert": "x", "inputs": []}])"), "inputs"},
           Case{
               with(
                   "[\"file:/x\"]",
                   R"([{"convert": "x", "inputs": [{"name": "..", "concatenate": ["file:/x"]}]}])"),
               "inputs[0]: name"},
       }) {
    const Status status = Catalogue::Parse(OneModel(c.file), "c").status();
    EXPECT_EQ(status.code(), Code::kDataLoss) << c.file;
    EXPECT_NE(status.message().find(c.where), std::string::npos)
        << c.file << " -> " << status.message();
  }
}

TEST(Catalogue, RefusesOtherVersionsAndTwins) {
  EXPECT_NE(Catalogue::Parse(R"({"schema_version": 2, "models": []})", "c")
                .status()
                .message()
                .find("newer"),
            std::string::npos);
  const std::string good = R"({"name": "f", "format": "gguf", "sha256": ")" + kHash +
                           R"(", "size_bytes": 1, "sources": ["file:/x"]})";
  EXPECT_FALSE(Catalogue::Parse(OneModel(good, R"(, "aliases": ["m"])"), "c").ok());
}

TEST(Catalogue, DeepNestingIsAnError) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(Catalogue::Parse(deep, "c").status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace sotto
