// SHA-256 as bytes arrive, and of whole files.
#ifndef SOTTO_STORE_SHA256_H_
#define SOTTO_STORE_SHA256_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

class Digest {
 public:
  static Digest Sha256();
  static Digest Sha1();  // the hub names small files by git's SHA-1
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  ~Digest();

  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text) { Update(std::as_bytes(std::span(text.data(), text.size()))); }
  // Lower-case hexadecimal. Empty if the crypto library failed. The digest is spent.
  std::string Finish();

 private:
  struct Impl;
  explicit Digest(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Lower-case hexadecimal SHA-256 of `text`.
std::string Sha256Of(std::string_view text);

// Feeds the first `size_bytes` of a file to `digest`; DATA_LOSS if it holds fewer.
Status DigestFile(const std::string& path, uint64_t size_bytes, const CancelToken& cancel,
                  Digest& digest);

// SHA-256 of a whole file. About 2 s a gigabyte.
Result<std::string> Sha256File(const std::string& path, const CancelToken& cancel);

// True for 64 lower-case hexadecimal digits.
bool IsSha256(std::string_view text);

}  // namespace sotto

#endif  // SOTTO_STORE_SHA256_H_
