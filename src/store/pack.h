// Packs: the models of one working assistant, as a manifest.
//
// A manifest names the files of every role with their hashes, where each model comes from and
// under which licence, what the pack needs of a machine, what was measured of it, and the primer
// that its conversations start from. It is checked whole before any of it is used.
#ifndef SOTTO_STORE_PACK_H_
#define SOTTO_STORE_PACK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

class Catalogue;

struct PackFile {
  std::string role = {};     // text, asr, vad, turn, tts, embedding, speaker, lexicon
  std::string profile = {};  // fast, best, or empty
  std::string model = {};    // catalogue id
  std::string path = {};     // the file's name inside that model
  std::string sha256 = {};
  uint64_t size_bytes = 0;
};

struct PackLineage {
  std::string role = {};
  std::string profile = {};
  std::string base = {};
  std::string licence = {};
};

// One measurement; no value means not measured, which is never a pass.
struct PackEval {
  std::string name = {};
  std::string unit = {};
  std::optional<double> value = {};
  std::optional<bool> passed = {};
  std::string evidence = {};  // on what, with which command
};

struct PackBackend {
  std::string name = {};    // cpu, cuda, ...
  std::string status = {};  // pass, fail, skipped
  std::string report = {};
};

struct PrimerExample {
  std::string user = {};
  std::string assistant = {};
};

// What conversations with this pack start from.
struct Primer {
  std::string system = {};
  std::vector<PrimerExample> examples = {};
};

struct PackManifest {
  std::string id = {};
  std::string version = {};
  std::string published_at = {};
  std::string name = {};
  std::string summary = {};
  std::vector<std::string> languages = {};
  std::vector<PackFile> files = {};
  std::vector<PackLineage> lineage = {};
  std::vector<std::string> kernels_required = {};
  std::vector<std::string> kernels_optional = {};
  std::vector<PackBackend> verified_backends = {};
  uint64_t ram_min_mb = 0;
  uint64_t ram_recommended_mb = 0;
  std::vector<PackEval> evals = {};
  std::string release_state = {};
  bool finetuned = false;
  std::vector<std::string> source_models = {};
  std::string default_voice = {};  // of the voice used first
  Primer primer = {};
  std::string text = {};  // the manifest as it was read

  // DATA_LOSS naming the place that is wrong: a role without lineage, a hash that is not one, a
  // RAM budget whose minimum is over the recommended, a path that leaves its folder, ...
  static Result<PackManifest> Parse(std::string_view json, std::string_view what);

  // DATA_LOSS unless every file is in `catalogue` with the same hash and size.
  Status CheckAgainst(const Catalogue& catalogue) const;

  // Catalogue ids, each once, in the order of the files.
  std::vector<std::string> Models() const;

  // The model for a role; an empty profile, or one the role lacks, gives the role's first.
  // Empty when the pack has no such role.
  std::string ModelFor(std::string_view role, std::string_view profile) const;
};

}  // namespace sotto

#endif  // SOTTO_STORE_PACK_H_
