// Runs a fuzz target without libFuzzer: over every file of the folders given, and over cuts, bit
// flips and splices of each, from a fixed seed. Exit 1 if a folder holds no file.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  if (inputs.empty()) {
    std::fprintf(stderr, "no corpus\n");
    return 1;
  }
  const auto run = [](const std::string& s) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(s.data()), s.size());
  };
  std::mt19937 random(20261129);
  run("");
  size_t runs = 1;
  for (const std::string& input : inputs) {
    run(input);
    for (int n = 0; n < 200; ++n, ++runs) {
      std::string mutant = input;
      switch (random() % 3) {
        case 0:
          mutant.resize(random() % (input.size() + 1));
          break;
        case 1:
          for (int flips = 0; flips < 3 && !mutant.empty(); ++flips) {
            mutant[random() % mutant.size()] ^= static_cast<char>(1u << (random() % 8));
          }
          break;
        default:
          mutant.insert(random() % (mutant.size() + 1),
                        inputs[random() % inputs.size()].substr(0, 64));
          break;
      }
      run(mutant);
    }
  }
  std::printf("%zu inputs, %zu runs\n", inputs.size(), runs);
  return 0;
}
