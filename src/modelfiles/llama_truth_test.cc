// Proves the promise of ValidateGguf against llama.cpp itself: what the validator accepts of
// thousands of damaged models may fail to load, but never ends the process.
//
// SOTTO_TRUTH_MUTANTS changes the number per model; SOTTO_TRUTH_FILES adds models, separated by
// colons; SOTTO_TRUTH_KEEP names a folder for the ones that crash.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <llama.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "modelfiles/gguf.h"
#include "modelfiles/tiny_models.h"

namespace sotto {
namespace {

void Silent(ggml_log_level, const char*, void*) {}

// Loads, tokenises, decodes and writes the tokens out again. Whatever is thrown is an answer. True
// if it came to a decode that worked.
bool LoadAndDecode(const char* path, const GgufSummary& summary) {
  llama_log_set(Silent, nullptr);
  llama_backend_init();
  llama_model* model = llama_model_load_from_file(path, llama_model_default_params());
  if (model == nullptr || summary.needs_target) {
    return model != nullptr;
  }
  llama_context_params params = llama_context_default_params();
  params.n_ctx = 128;
  params.n_batch = 64;
  params.n_ubatch = 64;
  params.n_threads = 1;
  params.n_threads_batch = 1;
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

struct ChildResult {
  int signal = 0;  // that ended it; 0 when it ended by itself
  bool decoded = false;
};

// What becomes of a process that loads `path`.
ChildResult RunChild(const std::string& path, const GgufSummary& summary) {
  std::fflush(nullptr);  // or the child writes it again
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30};
    ::setrlimit(RLIMIT_AS, &memory);
    ::alarm(60);
    const int null = ::open("/dev/null", O_WRONLY);
    if (std::getenv("SOTTO_TRUTH_LOUD") == nullptr) {
      ::dup2(null, 2);
    }
    bool decoded = false;
    try {
      decoded = LoadAndDecode(path.c_str(), summary);
    } catch (...) {
      // The backend translates these at the call.
    }
    ::_exit(decoded ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

struct Tally {
  int accepted = 0;
  int decoded = 0;
  int crashed = 0;
};

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Tally RunMutants(const std::string& name, const std::string& gguf, int mutants, uint32_t seed) {
  const std::string path = ::testing::TempDir() + "/truth-" + std::to_string(::getpid()) + ".gguf";
  const std::vector<GgufSite> sites = FindGgufSites(gguf);
  const Result<GgufSummary> whole = ValidateGguf(name, AsBytes(gguf));
  if (!whole.ok()) {
    ADD_FAILURE() << name << ": " << whole.status().ToString();
    return {};
  }
  WriteFile(path, gguf);
  EXPECT_TRUE(RunChild(path, *whole).decoded) << name << " as it is";
  uint64_t header_bytes = 0;
  for (const GgufSite& site : sites) {
    header_bytes = std::max(header_bytes, site.offset_bytes + site.size_bytes + 8);
  }
  Tally tally;
  std::mt19937 random(seed);
  for (int i = 0; i < mutants; ++i) {
    const std::string mutant = MutateGguf(gguf, sites, header_bytes, random);
    const Result<GgufSummary> summary = ValidateGguf(name, AsBytes(mutant));
    if (!summary.ok()) {
      continue;
    }
    ++tally.accepted;
    WriteFile(path, mutant);
    const ChildResult result = RunChild(path, *summary);
    tally.decoded += result.decoded ? 1 : 0;
    if (result.signal != 0) {
      ++tally.crashed;
      if (const char* keep = std::getenv("SOTTO_TRUTH_KEEP")) {
        WriteFile(std::string(keep) + "/" + name + "-" + std::to_string(i) + ".gguf", mutant);
      }
      ADD_FAILURE() << name << " mutant " << i << " of seed " << seed << ": signal "
                    << result.signal;
    }
  }
  ::unlink(path.c_str());
  std::printf("%s: %d mutants, %d accepted, %d decoded, %d crashed\n", name.c_str(), mutants,
              tally.accepted, tally.decoded, tally.crashed);
  return tally;
}

int MutantCount() {
  const char* text = std::getenv("SOTTO_TRUTH_MUTANTS");
  return text != nullptr ? std::atoi(text) : 150;
}
uint32_t Seed() {
  const char* text = std::getenv("SOTTO_TRUTH_SEED");
  return text != nullptr ? static_cast<uint32_t>(std::atoi(text)) : 1;
}

TEST(LlamaTruth, NothingAcceptedEndsTheProcess) {
  for (const std::string_view family : TinyGgufFamilies()) {
    const Tally tally =
        RunMutants(std::string(family), MakeTinyGguf(family), MutantCount(), Seed());
    EXPECT_GT(tally.accepted, 0) << family;
  }
}

TEST(LlamaTruth, NorOfTheFilesGiven) {
  const char* files = std::getenv("SOTTO_TRUTH_FILES");
  std::istringstream list(files != nullptr ? files : "");
  for (std::string path; std::getline(list, path, ':');) {
    std::ifstream file(path, std::ios::binary);
    const std::string gguf(std::istreambuf_iterator<char>(file), {});
    RunMutants(path.substr(path.find_last_of('/') + 1), gguf, MutantCount(), Seed());
  }
}

}  // namespace
}  // namespace sotto
