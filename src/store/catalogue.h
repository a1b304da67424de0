// The catalogue: which models exist, what they are for, and how their files are had.
//
// The built-in one is catalogue/catalogue.json (schema: catalogue/schema.json). Everything read
// from a catalogue is checked here, so later code may use names in paths and command lines.
#ifndef SOTTO_STORE_CATALOGUE_H_
#define SOTTO_STORE_CATALOGUE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

// One place that bytes come from, in its catalogue spelling:
//   hf:org/repo/path  hf:org/repo@revision/path    a file of the hub
//   https://host/path                              (http:// too: the hash decides what is kept)
//   pypi:name==version!path/in/wheel
//   npm:name@version!path/in/tarball
//   file:/absolute/path
struct Source {
  enum class Kind { kHub, kUrl, kPypi, kNpm, kFile };
  Kind kind = Kind::kUrl;
  std::string text = {};     // as spelled
  std::string name = {};     // hub: "org/repo"; packages: the package's name
  std::string version = {};  // hub: revision ("main" when not given); packages: the version
  std::string path = {};     // hub and packages: path inside; url: the url; file: the path

  bool is_package() const { return kind == Kind::kPypi || kind == Kind::kNpm; }
  bool is_remote() const { return kind != Kind::kFile; }
};

// INVALID_ARGUMENT when `text` is none of the spellings above or holds characters that have no
// place in a name, a version or a path (a leading '-', "..", spaces, control characters).
Result<Source> ParseSource(std::string_view text);

// A file that a converter reads: `parts` one after another.
struct Ingredient {
  std::string name = {};
  std::string sha256 = {};  // empty: unchecked; the converted file's hash decides
  uint64_t size_bytes = 0;  // 0: unknown
  std::vector<Source> parts = {};
};

// One way to a file's bytes: `parts` one after another, or a converter run over `inputs`.
struct Recipe {
  std::vector<Source> parts = {};
  std::string convert = {};  // the converter's kind; empty: no conversion
  std::string type = {};     // the converter's option, e.g. "q8_0"
  std::vector<Ingredient> inputs = {};

  // For messages: the first source.
  std::string Label() const;
};

struct CatalogueFile {
  std::string name = {};    // path below the model's folder, e.g. "voices/af_heart.bin"
  std::string kind = {};    // model, config, voice, vocabulary, lexicon
  std::string format = {};  // gguf, ggml, onnx, json, voice, text
  std::string sha256 = {};  // empty: the hub's, pinned at the first pull
  uint64_t size_bytes = 0;
  std::vector<Recipe> recipes = {};  // tried in order

  bool pinned_at_pull() const { return sha256.empty(); }
};

struct Licence {
  std::string id = {};  // SPDX where there is one
  std::string url = {};
  std::string notice = {};  // shown on pull when not empty
};

struct Lineage {
  std::string base = {};  // the model as its makers name it
  std::string maker = {};
  std::string via = {};  // who repacked or quantized it
};

struct CatalogueModel {
  std::string id = {};
  std::string name = {};  // what users see; a brand hides the base model's name
  std::vector<std::string> aliases = {};
  std::string role =
      {};  // text, asr, vad, turn, tts, embedding, speaker, lexicon, projector, drafter
  std::string profile = {};       // fast, best, or empty
  std::string architecture = {};  // llama, whisper, vits, ...
  Lineage lineage = {};
  Licence licence = {};
  std::vector<std::string> languages = {};  // BCP 47; empty: any
  std::map<std::string, std::string> companions =
      {};  // role -> model id (drafter, projector, lexicon)
  uint64_t min_memory_bytes = 0;
  uint64_t sample_rate_hz = 0;  // of speech made or wanted; 0: none
  std::string default_voice = {};
  std::string notes = {};
  std::vector<CatalogueFile> files = {};  // the first is the one that is loaded

  uint64_t SizeBytes() const;  // of all files whose size is known
};

class Catalogue {
 public:
  // DATA_LOSS naming the place that is wrong. `what` begins the messages.
  static Result<Catalogue> Parse(std::string_view json, std::string_view what);

  // Adds the models of `other`; a model of the same id is replaced.
  void Merge(Catalogue other);

  // By id or alias; null when there is none.
  const CatalogueModel* Find(std::string_view id_or_alias) const;
  const std::vector<CatalogueModel>& models() const { return models_; }

 private:
  std::vector<CatalogueModel> models_;
};

// "best" for the words that catalogues and packs also have for it, "accurate" and "better"; else
// the word itself.
std::string_view ProfileWord(std::string_view profile);

// True for 1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit.
bool IsModelId(std::string_view text);

// True for a relative path of plain segments: letters, digits, '.', '_', '-', '+'; no empty or
// dotted segment.
bool IsPlainPath(std::string_view text);

}  // namespace sotto

#endif  // SOTTO_STORE_CATALOGUE_H_
