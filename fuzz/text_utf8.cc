// The UTF-8 gate: its output is valid, does not depend on how the bytes were cut, and is the input
// if that is valid.
#include <string>

#include "text/utf8.h"
#include "text_fuzz.h"

namespace {

void Check(std::string_view bytes, sotto::Utf8Gate::Policy policy) {
  sotto::Utf8Gate whole_gate(policy);
  std::string whole = whole_gate.Feed(bytes);
  whole += whole_gate.Finish();
  sotto::Utf8Gate gate(policy);
  std::string streamed;
  sotto::fuzz::Cutter cutter(bytes);
  for (std::string_view piece; cutter.Next(piece);) {
    const std::string out = gate.Feed(piece);
    sotto::fuzz::Require(sotto::ValidateUtf8(out) == sotto::kValidUtf8, "every delta is valid");
    sotto::fuzz::Require(gate.held_bytes() <= 3, "at most three bytes are held back");
    streamed += out;
  }
  streamed += gate.Finish();
  sotto::fuzz::Require(streamed == whole, "streamed equals whole");
  if (sotto::ValidateUtf8(bytes) == sotto::kValidUtf8) {
    sotto::fuzz::Require(whole == bytes, "valid text passes unchanged");
  }
  const size_t prefix = sotto::WholeCharactersPrefix(bytes);
  sotto::fuzz::Require(prefix <= bytes.size() && bytes.size() - prefix <= 3, "the prefix is near");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = sotto::fuzz::AsText(data, size);
  Check(bytes, sotto::Utf8Gate::Policy::kDrop);
  Check(bytes, sotto::Utf8Gate::Policy::kReplace);
  size_t decoded = 0;
  for (size_t i = 0; i < bytes.size(); i += sotto::DecodeUtf8(bytes, i).size_bytes) ++decoded;
  sotto::fuzz::Require(decoded <= bytes.size(), "decoding advances");
  return 0;
}
