// g2p_dump: the phonemes of each line of the standard input, for tools/eval_g2p.py.
//
//   g2p_dump us_gold.json us_silver.json cmudict.dict [--misaki] [--normalized | --spoken] < lines
//
// --spoken prints the normalised text instead of phonemes; --normalized takes lines as they are.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "text/english_phonemizer.h"
#include "text/normalizer.h"

namespace {

std::string ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "g2p_dump GOLD.json SILVER.json CMUDICT [--misaki] [--normalized | --spoken]\n");
    return 2;
  }
  auto alphabet = sotto::PhonemeAlphabet::kEspeakIpa;
  bool normalize = true;
  bool spoken_only = false;
  for (int i = 4; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--misaki") alphabet = sotto::PhonemeAlphabet::kMisaki;
    if (option == "--normalized") normalize = false;
    if (option == "--spoken") spoken_only = true;
  }
  const std::string gold = ReadFile(argv[1]);
  const std::string silver = ReadFile(argv[2]);
  const std::string cmudict = ReadFile(argv[3]);
  const auto phonemizer = sotto::MakeEnglishPhonemizer({gold, silver, cmudict});
  if (!phonemizer.ok()) {
    std::fprintf(stderr, "g2p_dump: %s\n", phonemizer.status().ToString().c_str());
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const std::string spoken = normalize ? sotto::NormalizeForSpeech(line) : line;
    if (spoken_only) {
      std::printf("%s\n", spoken.c_str());
      continue;
    }
    const auto phonemes = (*phonemizer)->Phonemize(spoken, alphabet);
    std::printf("%s\n", phonemes.ok() ? phonemes->c_str() : phonemes.status().ToString().c_str());
  }
  return 0;
}
