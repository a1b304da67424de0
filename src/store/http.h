// One HTTP exchange, and downloads that survive bad servers. libcurl is behind it; its proxy
// variables (HTTPS_PROXY, NO_PROXY, ...) and certificate defaults apply.
#ifndef SOTTO_STORE_HTTP_H_
#define SOTTO_STORE_HTTP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"
#include "store/part.h"

namespace sotto {

struct HttpLimits {
  int64_t connect_timeout_ms = 20'000;
  // A transfer that moves fewer than stall_min_bytes in this time has stalled.
  int64_t stall_timeout_ms = 30'000;
  uint64_t stall_min_bytes = 1024;
  // Attempts in a row without a new byte before a source is given up; fewer where there is no
  // connection at all: no such host, nobody who listens, no network.
  int attempts = 5;
  int connect_attempts = 3;
  // Waits between them: doubling from backoff_ms up to backoff_max_ms; Retry-After is heard up to
  // the latter.
  int64_t backoff_ms = 500;
  int64_t backoff_max_ms = 20'000;
};

struct HttpResponse {
  long status = 0;
  std::map<std::string, std::string> headers = {};  // names in lower case; of the last response
  std::string Header(const std::string& name) const;
};

struct HttpRequest {
  std::string url = {};
  std::vector<std::string> headers = {};  // "Name: value"
  std::string bearer_token = {};          // sent to the url's own host only
  uint64_t offset_bytes = 0;              // > 0 asks for the rest from here
  bool head_only = false;
  bool follow_redirects = true;  // at most 10; never from https to http
};

struct HttpOutcome {
  Status status = {};          // transport; a response of any status code is OK
  bool no_connection = false;  // no host was reached
  HttpResponse response = {};  // status 0 when none came
};

struct HttpHooks {
  // After the headers of the last response, before its body. An error ends the exchange.
  std::function<Status(const HttpResponse&)> on_response = {};
  std::function<Status(std::span<const std::byte>)> on_body = {};
};

// Told before each wait: why the attempt failed, how many failed so far of how many, and the wait.
using OnRetry = std::function<void(const Status& why, int failed, int attempts, int64_t wait_ms)>;

// Any thread; blocking, ended by `cancel` within a fifth of a second.
HttpOutcome HttpExchange(const HttpRequest& request, const HttpHooks& hooks,
                         const HttpLimits& limits, const CancelToken& cancel);

struct Download {
  HttpRequest request = {};
  uint64_t size_bytes = 0;          // 0: not known; a longer body is cut here
  uint64_t max_bytes = UINT64_MAX;  // a body that goes on is an error
  std::string what = {};            // begins messages: the source as the catalogue spells it
  std::string etag = {};  // in: of the bytes already there (may be empty); out: the server's
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> on_progress = {};
  OnRetry on_retry = {};  // of attempts that brought nothing
};

// Appends the rest of `download` to `part`, resuming after broken connections, stalls and
// truncated bodies, restarting when the server cannot resume or the file changed, and waiting out
// 429 and 5xx. Says OK when the body ended where it should; the caller checks the hash.
//   PERMISSION_DENIED  401, 403 (the message names HF_TOKEN)
//   NOT_FOUND          404, 410
//   DATA_LOSS          cut short at every attempt
//   UNAVAILABLE        no connection, stalled, 429 and 5xx at every attempt, other codes
//   RESOURCE_EXHAUSTED, CANCELLED: the bytes so far stay in `part`
Status DownloadToPart(Download& download, PartFile& part, const HttpLimits& limits,
                      const CancelToken& cancel);

// The error for an HTTP status code that is not a success.
Status HttpStatusError(long status, const std::string& what);

}  // namespace sotto

#endif  // SOTTO_STORE_HTTP_H_
