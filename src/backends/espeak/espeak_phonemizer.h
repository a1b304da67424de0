// EspeakPhonemizer: phonemes by espeak-ng, through a plug-in that is loaded at run time.
#ifndef SOTTO_BACKENDS_ESPEAK_ESPEAK_PHONEMIZER_H_
#define SOTTO_BACKENDS_ESPEAK_ESPEAK_PHONEMIZER_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "text/phonemizer.h"

namespace sotto {

struct EspeakOptions {
  // The plug-in's file. Empty: the environment variable SOTTO_ESPEAK_PLUGIN, or else
  // "libsotto_espeak.so" where the dynamic loader looks.
  std::string plugin_path;
  std::string voice = "en-us";  // a voice of espeak-ng
};

// Opens the plug-in; it stays loaded until the process ends. All phonemizers of a process share
// espeak-ng's one voice: the first one decides.
//
// The phonemizer speaks kEspeakIpa only (UNIMPLEMENTED for kMisaki). It refuses letters that are
// not Latin with INVALID_ARGUMENT, as espeak-ng would name them instead of reading them. Calls of
// all threads queue up.
//
// UNAVAILABLE          There is no plug-in, or no espeak-ng data; the message says how to get it.
// FAILED_PRECONDITION  The plug-in is of another version, or another voice is open.
Result<std::unique_ptr<Phonemizer>> OpenEspeakPhonemizer(const EspeakOptions& options);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ESPEAK_ESPEAK_PHONEMIZER_H_
