#include "store/sha256.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/file.h"
#include "store/fd.h"

namespace sotto {
namespace {

struct MdCtxDeleter {
  void operator()(EVP_MD_CTX* ctx) const { EVP_MD_CTX_free(ctx); }
};

}  // namespace

struct Digest::Impl {
  std::unique_ptr<EVP_MD_CTX, MdCtxDeleter> ctx{EVP_MD_CTX_new()};
  bool good = false;
};

Digest::Digest(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;
Digest::~Digest() = default;

Digest Digest::Sha256() {
  auto impl = std::make_unique<Impl>();
  impl->good = impl->ctx && EVP_DigestInit_ex(impl->ctx.get(), EVP_sha256(), nullptr) == 1;
  return Digest(std::move(impl));
}

Digest Digest::Sha1() {
  auto impl = std::make_unique<Impl>();
  impl->good = impl->ctx && EVP_DigestInit_ex(impl->ctx.get(), EVP_sha1(), nullptr) == 1;
  return Digest(std::move(impl));
}

void Digest::Update(std::span<const std::byte> bytes) {
  impl_->good = impl_->good && EVP_DigestUpdate(impl_->ctx.get(), bytes.data(), bytes.size()) == 1;
}

std::string Digest::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw = {};
  unsigned int size = 0;
  if (!impl_->good || EVP_DigestFinal_ex(impl_->ctx.get(), raw.data(), &size) != 1) {
    return "";
  }
  impl_->good = false;
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[raw[i] >> 4];
    hex += kDigits[raw[i] & 15];
  }
  return hex;
}

std::string Sha256Of(std::string_view text) {
  Digest digest = Digest::Sha256();
  digest.Update(text);
  return digest.Finish();
}

Status DigestFile(const std::string& path, uint64_t size_bytes, const CancelToken& cancel,
                  Digest& digest) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return ErrnoError(errno, "open", path);
  }
  std::vector<std::byte> buffer(1u << 20);
  for (uint64_t done = 0; done < size_bytes;) {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const size_t want = static_cast<size_t>(std::min<uint64_t>(buffer.size(), size_bytes - done));
    const ssize_t n = ::read(fd.get(), buffer.data(), want);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "read", path);
    }
    if (n == 0) {
      return DataLossError("read: " + path + ": ends after " + std::to_string(done) + " of " +
                           std::to_string(size_bytes) + " bytes");
    }
    digest.Update(std::span(buffer.data(), static_cast<size_t>(n)));
    done += static_cast<uint64_t>(n);
  }
  return OkStatus();
}

Result<std::string> Sha256File(const std::string& path, const CancelToken& cancel) {
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, FileSizeBytes(path));
  Digest digest = Digest::Sha256();
  SOTTO_RETURN_IF_ERROR(DigestFile(path, size_bytes, cancel, digest));
  return digest.Finish();
}

bool IsSha256(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace sotto
