#include "backends/espeak/espeak_phonemizer.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "backends/espeak/espeak_plugin_abi.h"
#include "text/latin_fold.h"
#include "text/utf8.h"

namespace sotto {
namespace {

constexpr std::string_view kMarks = ".,!?;:";

// espeak-ng has one voice and one state for the whole process.
struct Opened {
  std::mutex mutex;
  const sotto_espeak_plugin* plugin = nullptr;
  std::string voice;
};

Opened& Shared() {
  static Opened opened;
  return opened;
}

std::string PathOf(const EspeakOptions& options) {
  if (!options.plugin_path.empty()) return options.plugin_path;
  const char* path = std::getenv("SOTTO_ESPEAK_PLUGIN");  // NOLINT(concurrency-mt-unsafe)
  return path != nullptr && *path != '\0' ? path : "libsotto_espeak.so";
}

Result<const sotto_espeak_plugin*> LoadPlugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe)
    return UnavailableError("espeak plug-in: " + path + ": " +
                            (reason ? reason : "cannot be loaded") +
                            "; build it with -DSOTTO_ESPEAK_PLUGIN=ON (needs libespeak-ng-dev) and "
                            "set SOTTO_ESPEAK_PLUGIN to its file, or use the built-in phonemes");
  }
  const auto entry =
      reinterpret_cast<sotto_espeak_plugin_entry>(dlsym(library, SOTTO_ESPEAK_PLUGIN_ENTRY));
  const sotto_espeak_plugin* plugin = entry == nullptr ? nullptr : entry();
  if (plugin == nullptr || plugin->version != SOTTO_ESPEAK_PLUGIN_VERSION) {
    dlclose(library);
    return FailedPreconditionError("espeak plug-in: " + path +
                                   ": not a plug-in of version 1; build it from this release");
  }
  return plugin;
}

// Letters that espeak-ng would name ("chinese letter") rather than read.
Status CheckScript(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = DecodeUtf8(text, i);
    i += c.size_bytes;
    if (!IsLetter(c.value) || IsAsciiAlpha(c.value) || !FoldLatin(c.value).empty()) continue;
    return InvalidArgumentError("phonemes: letter " + CodePointName(c.value) +
                                ": not a Latin letter; use a voice of that language");
  }
  return OkStatus();
}

class EspeakPhonemizer : public Phonemizer {
 public:
  explicit EspeakPhonemizer(const sotto_espeak_plugin* plugin) : plugin_(plugin) {}

  Result<std::string> Phonemize(std::string_view text, PhonemeAlphabet alphabet) const override {
    if (alphabet != PhonemeAlphabet::kEspeakIpa) {
      return UnimplementedError(
          "phonemes: espeak-ng: writes no misaki letters; use the built-in ones");
    }
    SOTTO_RETURN_IF_ERROR(CheckScript(text));
    std::string out;
    // Clause by clause, so that the punctuation stays where it stood.
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of(kMarks), text.size());
      SOTTO_ASSIGN_OR_RETURN(const std::string clause, Clause(text.substr(0, end)));
      if (!clause.empty() && !out.empty()) out += ' ';
      out += clause;
      if (end < text.size() && !out.empty() && kMarks.find(out.back()) == kMarks.npos) {
        out += text[end];
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }

 private:
  Result<std::string> Clause(std::string_view text) const {
    std::string clause;  // NUL-terminated, and none within
    for (const char c : text) clause += c == '\0' ? ' ' : c;
    if (clause.find_first_not_of(' ') == std::string::npos) return std::string();
    std::string ipa(clause.size() * 4 + 64, '\0');
    const std::lock_guard<std::mutex> lock(Shared().mutex);
    long bytes = plugin_->phonemize(clause.c_str(), ipa.data(), ipa.size());
    if (bytes > static_cast<long>(ipa.size())) {
      ipa.resize(static_cast<size_t>(bytes));
      bytes = plugin_->phonemize(clause.c_str(), ipa.data(), ipa.size());
    }
    if (bytes < 0 || bytes > static_cast<long>(ipa.size())) {
      return InternalError("phonemes: espeak-ng: it failed on a clause");
    }
    ipa.resize(static_cast<size_t>(bytes));
    return ipa;
  }

  const sotto_espeak_plugin* plugin_;
};

}  // namespace

Result<std::unique_ptr<Phonemizer>> OpenEspeakPhonemizer(const EspeakOptions& options) {
  Opened& opened = Shared();
  const std::lock_guard<std::mutex> lock(opened.mutex);
  if (opened.plugin == nullptr) {
    SOTTO_ASSIGN_OR_RETURN(const sotto_espeak_plugin* plugin, LoadPlugin(PathOf(options)));
    char reason[200] = "";
    if (plugin->open(options.voice.c_str(), reason, sizeof(reason)) != 0) {
      return UnavailableError("espeak plug-in: voice " + options.voice + ": " + reason +
                              "; install espeak-ng-data");
    }
    opened.plugin = plugin;
    opened.voice = options.voice;
  }
  if (opened.voice != options.voice) {
    return FailedPreconditionError("espeak plug-in: voice " + options.voice + ": " + opened.voice +
                                   " is open; one voice for each process");
  }
  return std::unique_ptr<Phonemizer>(std::make_unique<EspeakPhonemizer>(opened.plugin));
}

}  // namespace sotto
