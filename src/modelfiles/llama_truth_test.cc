// Proves the promise of ValidateGguf against llama.cpp itself: what the validator accepts of
// thousands of damaged models may fail to load, but never ends the process.
//
// SOTTO_TRUTH_MUTANTS changes the number per model and SOTTO_TRUTH_SEED the damage;
// SOTTO_TRUTH_FILES adds models, separated by colons.
#include <gtest/gtest.h>
#include <llama-ext.h>
#include <llama.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "modelfiles/gguf.h"
#include "modelfiles/tiny_models.h"
#include "modelfiles/truth_child.h"

namespace sotto {
namespace {

void Silent(ggml_log_level, const char*, void*) {}

llama_context_params ContextParams() {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = 128;
  params.n_batch = 64;
  params.n_ubatch = 64;
  params.n_threads = 1;
  params.n_threads_batch = 1;
  return params;
}

llama_model* Load(const std::string& path) {
  if (std::getenv("SOTTO_TRUTH_LOUD") == nullptr) {
    llama_log_set(Silent, nullptr);
  }
  llama_backend_init();
  return llama_model_load_from_file(path.c_str(), llama_model_default_params());
}

// Loads, tokenises, decodes and writes the tokens out again; true if it came to a decode that
// worked. A drafter is loaded alone and that is that.
bool LoadAndDecode(const std::string& path, const GgufSummary& summary) {
  llama_model* model = Load(path);
  if (model == nullptr || summary.needs_target) {
    return model != nullptr;
  }
  llama_context_params params = ContextParams();
  params.embeddings = summary.is_embedder;
  llama_context* context = llama_init_from_model(model, params);
  if (context == nullptr) {
    return false;
  }
  const llama_vocab* vocab = llama_model_get_vocab(model);
  std::vector<llama_token> tokens(64);
  const std::string text = "hello w\xC3\xB6rld 12";
  const int32_t count = llama_tokenize(vocab, text.data(), static_cast<int32_t>(text.size()),
                                       tokens.data(), 48, true, true);
  const bool decoded =
      count > 0 && llama_decode(context, llama_batch_get_one(tokens.data(), count)) == 0;
  if (decoded && !summary.is_embedder) {
    llama_token next = 0;
    llama_decode(context, llama_batch_get_one(&next, 1));
  }
  char piece[256];
  for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
    llama_token_to_piece(vocab, token, piece, sizeof(piece), 0, true);
  }
  llama_free(context);
  llama_model_free(model);
  return decoded;
}

// One drafted token behind one token of the target.
bool LoadAndDraft(const std::string& drafter_path, const std::string& target_path) {
  llama_model* target = Load(target_path);
  llama_model* drafter = Load(drafter_path);
  if (target == nullptr || drafter == nullptr) {
    return false;
  }
  llama_context_params params = ContextParams();
  llama_context* target_context = llama_init_from_model(target, params);
  params.ctx_type = LLAMA_CONTEXT_TYPE_MTP;
  params.ctx_other = target_context;
  llama_context* context =
      target_context == nullptr ? nullptr : llama_init_from_model(drafter, params);
  if (context == nullptr) {
    return false;
  }
  llama_set_embeddings_nextn(target_context, true, false);
  llama_set_embeddings_nextn(context, true, true);
  llama_token token = 5;
  if (llama_decode(target_context, llama_batch_get_one(&token, 1)) != 0) {
    return false;
  }
  const auto width = static_cast<size_t>(llama_model_n_embd_out(drafter));
  llama_batch batch = llama_batch_init(1, static_cast<int32_t>(width), 1);
  batch.token = static_cast<llama_token*>(std::malloc(sizeof(llama_token)));
  batch.n_tokens = 1;
  batch.token[0] = 6;
  batch.pos[0] = 1;
  batch.n_seq_id[0] = 1;
  batch.seq_id[0][0] = 0;
  batch.logits[0] = 1;
  std::memcpy(batch.embd, llama_get_embeddings_nextn_ith(target_context, 0), width * sizeof(float));
  return llama_decode(context, batch) == 0 && llama_get_logits_ith(context, 0) != nullptr;
}

struct Tally {
  int accepted = 0;
  int worked = 0;
};

std::string TempPath(const std::string& name) {
  return ::testing::TempDir() + "/truth-" + std::to_string(::getpid()) + "-" + name;
}

// Damages `gguf` again and again; `run(path, summary)` for every mutant that is accepted.
template <typename Accept, typename Run>
Tally RunMutants(const std::string& name, const std::string& gguf, const Accept& accept,
                 const Run& run) {
  const std::string path = TempPath("mutant.gguf");
  const int mutants = EnvironmentNumber("SOTTO_TRUTH_MUTANTS", 150);
  const std::vector<GgufSite> sites = FindGgufSites(gguf);
  const Result<GgufSummary> whole = ValidateGguf(name, AsBytes(gguf));
  if (!whole.ok() || !accept(*whole).ok()) {
    ADD_FAILURE() << name << ": " << (whole.ok() ? accept(*whole) : whole.status()).ToString();
    return {};
  }
  WriteBytes(path, gguf);
  EXPECT_TRUE(RunInChild([&] { return run(path, *whole); }).succeeded) << name << " as it is";
  uint64_t header_bytes = 0;
  for (const GgufSite& site : sites) {
    header_bytes = std::max(header_bytes, site.offset_bytes + site.size_bytes + 8);
  }
  Tally tally;
  std::mt19937 random(static_cast<uint32_t>(EnvironmentNumber("SOTTO_TRUTH_SEED", 1)));
  for (int i = 0; i < mutants; ++i) {
    const std::string mutant = MutateGguf(gguf, sites, header_bytes, random);
    const Result<GgufSummary> summary = ValidateGguf(name, AsBytes(mutant));
    if (!summary.ok() || !accept(*summary).ok()) {
      continue;
    }
    ++tally.accepted;
    WriteBytes(path, mutant);
    const ChildResult result = RunInChild([&] { return run(path, *summary); });
    tally.worked += result.succeeded ? 1 : 0;
    if (result.signal != 0) {
      KeepBytes(name + "-" + std::to_string(i) + ".gguf", mutant);
      ADD_FAILURE() << name << " mutant " << i << ": signal " << result.signal;
    }
  }
  ::unlink(path.c_str());
  std::printf("%s: %d mutants, %d accepted, %d worked\n", name.c_str(), mutants, tally.accepted,
              tally.worked);
  return tally;
}

Status AcceptAll(const GgufSummary&) { return OkStatus(); }

TEST(LlamaTruth, NothingAcceptedEndsTheProcess) {
  for (const std::string_view family : TinyGgufFamilies()) {
    const Tally tally =
        RunMutants(std::string(family), MakeTinyGguf(family), AcceptAll, LoadAndDecode);
    EXPECT_GT(tally.worked, 0) << family;
  }
}

TEST(LlamaTruth, NorDoesADrafterThatFits) {
  const std::string target = MakeTinyGguf("gemma4");
  const std::string target_path = TempPath("target.gguf");
  WriteBytes(target_path, target);
  const Result<GgufSummary> summary = ValidateGguf("target", AsBytes(target));
  ASSERT_TRUE(summary.ok());
  const Tally tally = RunMutants(
      "gemma4-assistant", MakeTinyGguf("gemma4-assistant"),
      [&](const GgufSummary& drafter) { return CheckDrafter("drafter", drafter, *summary); },
      [&](const std::string& path, const GgufSummary&) { return LoadAndDraft(path, target_path); });
  EXPECT_GT(tally.worked, 0);
  ::unlink(target_path.c_str());
}

TEST(LlamaTruth, NorDoOtherFiles) {
  const char* files = std::getenv("SOTTO_TRUTH_FILES");
  std::istringstream list(files != nullptr ? files : "");
  for (std::string path; std::getline(list, path, ':');) {
    std::ifstream file(path, std::ios::binary);
    const std::string gguf(std::istreambuf_iterator<char>(file), {});
    RunMutants(path.substr(path.find_last_of('/') + 1), gguf, AcceptAll, LoadAndDecode);
  }
}

}  // namespace
}  // namespace sotto
