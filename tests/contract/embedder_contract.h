// What every backend keeps of the port models/embedder.h. A backend's test includes this file and
// instantiates the suite.
#ifndef SOTTO_TESTS_CONTRACT_EMBEDDER_CONTRACT_H_
#define SOTTO_TESTS_CONTRACT_EMBEDDER_CONTRACT_H_

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/embedder.h"

namespace sotto {

struct EmbedderContractCase {
  std::string name;
  // A new instance, independent of all others.
  std::function<Result<std::unique_ptr<Embedder>>()> make;
};

inline void PrintTo(const EmbedderContractCase& value, std::ostream* out) { *out << value.name; }

class EmbedderContract : public testing::TestWithParam<EmbedderContractCase> {
 protected:
  static std::unique_ptr<Embedder> Make() {
    Result<std::unique_ptr<Embedder>> made = GetParam().make();
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : nullptr;
  }

  static std::vector<float> Embed(Embedder& embedder, const std::string& text) {
    Result<std::vector<float>> made = embedder.Embed(text, {});
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : std::vector<float>();
  }

  static double Dot(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0.0;
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      sum += double{a[i]} * double{b[i]};
    }
    return sum;
  }
};

TEST_P(EmbedderContract, VectorsHaveLengthOne) {
  const auto embedder = Make();
  ASSERT_NE(embedder, nullptr);
  ASSERT_GT(embedder->dimensions(), 0);
  ASSERT_GT(embedder->max_tokens(), 0);
  for (const std::string text :
       {"A cat sits on the mat.", "x", " ", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\n\n", "!!!",
        "\xf0\x9f\x98\x80", "[CLS] [SEP]"}) {
    const std::vector<float> vector = Embed(*embedder, text);
    ASSERT_EQ(vector.size(), static_cast<size_t>(embedder->dimensions()));
    EXPECT_NEAR(Dot(vector, vector), 1.0, 1e-4) << text;
  }
}

TEST_P(EmbedderContract, NearIsNearerThanFar) {
  const auto embedder = Make();
  ASSERT_NE(embedder, nullptr);
  const std::vector<float> cat = Embed(*embedder, "A cat sits on the mat.");
  const std::vector<float> kitten = Embed(*embedder, "A cat rests on the rug.");
  const std::vector<float> stock = Embed(*embedder, "Stocks fell Monday.");
  EXPECT_GT(Dot(cat, kitten), Dot(cat, stock) + 0.2);
}

TEST_P(EmbedderContract, CallsAreIndependent) {
  const auto embedder = Make();
  const auto other = Make();
  ASSERT_TRUE(embedder && other);
  const std::vector<float> first = Embed(*embedder, "A cat sits on the mat.");
  Embed(*embedder, "Something else entirely, and quite a bit longer than the other one.");
  EXPECT_EQ(Embed(*embedder, "A cat sits on the mat."), first);
  EXPECT_EQ(Embed(*other, "A cat sits on the mat."), first);
}

TEST_P(EmbedderContract, LongTextIsCut) {
  const auto embedder = Make();
  ASSERT_NE(embedder, nullptr);
  std::string text;
  for (int i = 0; i < 2 * embedder->max_tokens(); ++i) {
    text += "word ";
  }
  EXPECT_NEAR(Dot(Embed(*embedder, text), Embed(*embedder, text + "and more of it")), 1.0, 1e-4);
}

TEST_P(EmbedderContract, BadTextIsRefused) {
  const auto embedder = Make();
  ASSERT_NE(embedder, nullptr);
  const std::vector<float> before = Embed(*embedder, "hello");
  for (const std::string text : {"", "\xff", "caf\xe9", "\xed\xa0\x80"}) {
    EXPECT_EQ(embedder->Embed(text, {}).status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(Embed(*embedder, "hello"), before);
}

TEST_P(EmbedderContract, Cancels) {
  const auto embedder = Make();
  ASSERT_NE(embedder, nullptr);
  const std::vector<float> before = Embed(*embedder, "hello");
  CancelSource source;
  source.Cancel(CancelReason::kShutdown);
  EXPECT_EQ(embedder->Embed("hello", source.token()).status().code(), Code::kCancelled);
  std::string text;
  for (int i = 0; i < embedder->max_tokens(); ++i) {
    text += "word ";
  }
  for (int round = 0; round < 3; ++round) {
    CancelSource racing;
    std::atomic<bool> begun = false;
    std::thread canceller([&] {
      begun.wait(false);
      racing.Cancel(CancelReason::kUserCancel);
    });
    begun = true;
    begun.notify_one();
    const auto result = embedder->Embed(text, racing.token());
    canceller.join();
    EXPECT_TRUE(result.ok() || result.status().code() == Code::kCancelled);
  }
  EXPECT_EQ(Embed(*embedder, "hello"), before);
}

TEST_P(EmbedderContract, ServesOneThreadAfterAnother) {
  const auto embedder = Make();
  ASSERT_NE(embedder, nullptr);
  const std::vector<float> here = Embed(*embedder, "hello");
  std::vector<float> there;
  std::thread([&] { there = Embed(*embedder, "hello"); }).join();
  EXPECT_EQ(there, here);
}

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_EMBEDDER_CONTRACT_H_
