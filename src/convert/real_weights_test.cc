// Published weights give the bytes of the reference converters. SOTTO_MODELS_DIR holds the
// sources: asr/ct2-base, asr/ct2-tiny.en, embed/st-minilm, speaker/resemblyzer.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "convert/convert.h"

namespace sotto {
namespace {

std::string Sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

struct Case {
  const char* kind;
  const char* source;
  const char* type;
  const char* sha256;
};

class RealWeights : public ::testing::TestWithParam<Case> {};

TEST_P(RealWeights, GiveTheReferenceBytes) {
  const char* folder = std::getenv("SOTTO_MODELS_DIR");
  ASSERT_NE(folder, nullptr) << "SOTTO_MODELS_DIR is not set; point it at the weights";
  const std::string output = ::testing::TempDir() + "/real-" + std::to_string(::getpid());
  const Status status = Convert({GetParam().kind,
                                 {std::string(folder) + "/" + GetParam().source},
                                 output,
                                 GetParam().type,
                                 {}});
  ASSERT_TRUE(status.ok()) << status.ToString();
  const Result<MappedFile> file = MappedFile::Open(output);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(Sha256(file->bytes()), GetParam().sha256);
  ::unlink(output.c_str());
}

INSTANTIATE_TEST_SUITE_P(
    All, RealWeights,
    ::testing::Values(Case{"ct2_whisper_to_ggml", "asr/ct2-base", "f16",
                           "7c62eb7eb9df2bdf0cdbbda2e6b7b58ec650417ea45e9448ad83d669ee9e36b6"},
                      Case{"ct2_whisper_to_ggml", "asr/ct2-base", "q8_0",
                           "81c3b22d2a5fd89cb37a309f5b4e3354a49fb0ddaccc68bc1a4c75785fef7404"},
                      Case{"ct2_whisper_to_ggml", "asr/ct2-base", "q5_1",
                           "d43f9f4736b75245149759ce6b9638a0ca3c5ec951e3efb47bb0929f3602d6ad"},
                      Case{"ct2_whisper_to_ggml", "asr/ct2-tiny.en", "f16",
                           "b9233666442d342508f40a3966c4a6710f7d3fe11bf24de0b2b8abf2c49053bb"},
                      Case{"ct2_whisper_to_ggml", "asr/ct2-tiny.en", "q8_0",
                           "50bf79eafbf6c23e269796739de910f2aa16e9e29db35f80f88a03896ee376d3"},
                      Case{"ct2_whisper_to_ggml", "asr/ct2-tiny.en", "q5_1",
                           "03b644efe9b87c91ebdef843c53d554cbf89d261497628d38fbd4d0dda6c90d0"},
                      Case{"st_minilm_to_gguf", "embed/st-minilm", "f16",
                           "85988f96ddd098fec56e23fde974469de415539b0595801112ea7989f10a7477"},
                      Case{"st_minilm_to_gguf", "embed/st-minilm", "q8_0",
                           "7cf5cebd62824b297638a76e1a7e10b618d91caf5999d8b903d733a733a4fd07"},
                      Case{"resemblyzer_to_onnx", "speaker/resemblyzer", "",
                           "bc36d341b7188a967dcc3c95d267941e8a20701d177723407a5acd888462bb04"}));

}  // namespace
}  // namespace sotto
