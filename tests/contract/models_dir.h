// Where tests of the label `model` find weights: $SOTTO_MODELS_DIR.
#ifndef SOTTO_TESTS_CONTRACT_MODELS_DIR_H_
#define SOTTO_TESTS_CONTRACT_MODELS_DIR_H_

#include <cstdlib>
#include <string>

namespace sotto {

// Path of a file in the models folder. Without the variable it is a path that does not exist and
// says so, and whoever opens it fails with that text.
inline std::string ModelPath(const std::string& name) {
  const char* folder = std::getenv("SOTTO_MODELS_DIR");  // NOLINT(concurrency-mt-unsafe)
  return (folder == nullptr ? std::string("/set-SOTTO_MODELS_DIR-to-the-models-folder") : folder) +
         "/" + name;
}

// Path of a file in testdata/.
inline std::string TestDataPath(const std::string& name) {
  const char* folder = std::getenv("SOTTO_TESTDATA");  // NOLINT(concurrency-mt-unsafe)
  return (folder == nullptr ? std::string("testdata") : folder) + "/" + name;
}

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_MODELS_DIR_H_
