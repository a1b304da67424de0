// DownloadToPart: the attempts around one exchange.
#include <algorithm>
#include <charconv>

#include "store/http.h"
#include "store/layout.h"

namespace sotto {
namespace {

// Ends a server that gives one byte per connection: each of these is a whole exchange.
constexpr int kMaxExchanges = 1000;

// "bytes 100-199/200" -> 100; -1 when it is not such a header.
int64_t RangeStart(std::string_view content_range) {
  if (!content_range.starts_with("bytes ")) {
    return -1;
  }
  content_range.remove_prefix(6);
  int64_t start = -1;
  const auto [end, error] =
      std::from_chars(content_range.data(), content_range.data() + content_range.size(), start);
  return error == std::errc() && start >= 0 ? start : -1;
}

int64_t RetryAfterMs(const HttpResponse& response) {
  const std::string text = response.Header("retry-after");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return error == std::errc() && seconds > 0 && seconds < 86400 ? seconds * 1000 : 0;
}

// One try and what it says about the next.
struct Attempt {
  Status status = {};
  bool again = false;    // another attempt may help
  bool restart = false;  // it must begin at the first byte
  bool no_connection = false;
  int64_t wait_ms = 0;  // the server's own wish
};

uint64_t ContentLength(const HttpResponse& response) {
  const std::string text = response.Header("content-length");
  uint64_t bytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

class Downloader {
 public:
  Downloader(Download& download, PartFile& part, const HttpLimits& limits,
             const CancelToken& cancel)
      : download_(download), part_(part), limits_(limits), cancel_(cancel) {}

  Attempt Try() {
    HttpRequest request = download_.request;
    request.offset_bytes = part_.size_bytes();
    if (request.offset_bytes > 0 && !download_.etag.empty()) {
      request.headers.push_back("If-Range: " + download_.etag);
    }
    body_wanted_ = false;
    const HttpHooks hooks{
        .on_response = [this](const HttpResponse& r) { return OnResponse(r); },
        .on_body = [this](std::span<const std::byte> bytes) { return OnBody(bytes); }};
    const HttpOutcome outcome = HttpExchange(request, hooks, limits_, cancel_);
    return Judge(request, outcome);
  }

 private:
  Status OnResponse(const HttpResponse& response) {
    if (response.status != 200 && response.status != 206) {
      return OkStatus();
    }
    body_wanted_ = true;
    total_bytes_ = ContentLength(response);
    if (response.status == 206) {
      if (RangeStart(response.Header("content-range")) !=
          static_cast<int64_t>(part_.size_bytes())) {
        body_wanted_ = false;
        wrong_range_ = true;
      }
      total_bytes_ += part_.size_bytes();
    } else if (part_.size_bytes() > 0) {
      SOTTO_RETURN_IF_ERROR(part_.Restart());  // it cannot resume, or the file changed
    }
    // Weak validators may not be used with If-Range.
    const std::string etag = response.Header("etag");
    download_.etag = etag.starts_with('"') ? etag : "";
    return OkStatus();
  }

  Status OnBody(std::span<const std::byte> bytes) {
    if (!body_wanted_) {
      return wrong_range_ ? UnavailableError("answered with another range") : OkStatus();
    }
    if (download_.size_bytes > 0) {
      // A body that goes on is cut at the size expected: the hash decides what it was.
      bytes = bytes.first(static_cast<size_t>(
          std::min<uint64_t>(bytes.size(), download_.size_bytes - part_.size_bytes())));
    }
    if (bytes.size() > download_.max_bytes - std::min(download_.max_bytes, part_.size_bytes())) {
      return DataLossError("longer than the " + std::to_string(download_.max_bytes) +
                           " bytes that are left of the file");
    }
    SOTTO_RETURN_IF_ERROR(part_.Append(bytes));
    if (download_.on_progress) {
      download_.on_progress(part_.size_bytes(),
                            download_.size_bytes > 0 ? download_.size_bytes : total_bytes_);
    }
    // Ends the exchange at once: a server may announce more than there is and never close.
    complete_ = download_.size_bytes > 0 && part_.size_bytes() == download_.size_bytes;
    return complete_ ? UnavailableError("complete") : OkStatus();
  }

  Attempt Judge(const HttpRequest& request, const HttpOutcome& outcome) {
    const long code = outcome.response.status;
    if (complete_) {
      return {};
    }
    if (wrong_range_) {
      wrong_range_ = false;
      return {.status = UnavailableError(download_.what + ": answered with another range"),
              .again = true,
              .restart = true};
    }
    if (code == 416) {
      // Everything is here already, or what is here is not a beginning of that file.
      if (download_.size_bytes > 0 && request.offset_bytes == download_.size_bytes) {
        return {};
      }
      return {.status = HttpStatusError(code, download_.what), .again = true, .restart = true};
    }
    if (outcome.status.ok() && code != 200 && code != 206) {
      const bool again = code == 429 || code == 408 || code >= 500;
      return {.status = HttpStatusError(code, download_.what),
              .again = again,
              .wait_ms = RetryAfterMs(outcome.response)};
    }
    if (!outcome.status.ok()) {
      return {.status = outcome.status.code() == Code::kUnavailable
                            ? outcome.status.WithContext(download_.what)
                            : outcome.status,
              .again = outcome.status.code() == Code::kUnavailable,
              .no_connection = outcome.no_connection};
    }
    if (download_.size_bytes > 0 && part_.size_bytes() < download_.size_bytes) {
      return {.status = DataLossError(download_.what + ": ends after " +
                                      std::to_string(part_.size_bytes()) + " of " +
                                      std::to_string(download_.size_bytes) + " bytes"),
              .again = true};
    }
    return {};
  }

  Download& download_;
  PartFile& part_;
  const HttpLimits& limits_;
  const CancelToken& cancel_;
  bool body_wanted_ = false;
  bool wrong_range_ = false;
  bool complete_ = false;
  uint64_t total_bytes_ = 0;
};

}  // namespace

Status DownloadToPart(Download& download, PartFile& part, const HttpLimits& limits,
                      const CancelToken& cancel) {
  if (download.size_bytes > 0 && part.size_bytes() > download.size_bytes) {
    SOTTO_RETURN_IF_ERROR(part.Restart());
  }
  if (download.size_bytes > 0 && part.size_bytes() == download.size_bytes) {
    return OkStatus();
  }
  Downloader downloader(download, part, limits, cancel);
  int fruitless = 0;
  int64_t backoff_ms = limits.backoff_ms;
  for (int exchange = 0; exchange < kMaxExchanges; ++exchange) {
    const uint64_t before_bytes = part.size_bytes();
    const Attempt attempt = downloader.Try();
    if (attempt.status.ok() || !attempt.again) {
      return attempt.status;
    }
    const bool gained = part.size_bytes() > before_bytes;
    fruitless = gained ? 0 : fruitless + 1;
    backoff_ms = gained ? limits.backoff_ms : backoff_ms;
    const int attempts = attempt.no_connection ? std::min(limits.attempts, limits.connect_attempts)
                                               : limits.attempts;
    if (fruitless >= attempts) {
      return attempt.status;
    }
    if (attempt.restart) {
      SOTTO_RETURN_IF_ERROR(part.Restart());
      download.etag.clear();
    }
    const int64_t wait_ms = std::min(std::max(backoff_ms, attempt.wait_ms), limits.backoff_max_ms);
    if (download.on_retry && !gained) {
      download.on_retry(attempt.status, fruitless, attempts, wait_ms);
    }
    SOTTO_RETURN_IF_ERROR(PauseMs(wait_ms, cancel));
    backoff_ms = std::min(backoff_ms * 2, limits.backoff_max_ms);
  }
  return UnavailableError(download.what + ": gave up after " + std::to_string(kMaxExchanges) +
                          " broken connections");
}

}  // namespace sotto
