#include "store/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>

#include "base/clock.h"

namespace sotto {
namespace {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;
using ListHandle = std::unique_ptr<curl_slist, ListDeleter>;

struct Exchange {
  const HttpHooks& hooks;
  const HttpLimits& limits;
  const CancelToken& cancel;
  CURL* easy = nullptr;
  HttpResponse response = {};
  Status hook_status = {};  // the first error of a hook
  bool announced = false;   // on_response was called
  bool stalled = false;
  int64_t window_start_us = 0;
  curl_off_t window_start_bytes = 0;
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  return text;
}

// Called once per header line; a status line begins the next response of a redirect chain.
size_t OnHeader(char* data, size_t size, size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {
    exchange.response.headers.clear();
    return line.size();
  }
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos && exchange.response.headers.size() < 200) {
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    exchange.response.headers[name] = std::string(Trim(line.substr(colon + 1)));
  }
  return line.size();
}

Status Announce(Exchange& exchange) {
  if (exchange.announced) {
    return OkStatus();
  }
  exchange.announced = true;
  curl_easy_getinfo(exchange.easy, CURLINFO_RESPONSE_CODE, &exchange.response.status);
  return exchange.hooks.on_response ? exchange.hooks.on_response(exchange.response) : OkStatus();
}

size_t OnBody(char* data, size_t size, size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const size_t bytes = size * count;
  Status status = Announce(exchange);
  if (status.ok() && exchange.hooks.on_body) {
    status = exchange.hooks.on_body(std::as_bytes(std::span(data, bytes)));
  }
  if (!status.ok()) {
    exchange.hook_status = std::move(status);
    return bytes == 0 ? 1 : 0;  // anything but `bytes` ends the transfer
  }
  return bytes;
}

// False when the transfer is to end: cancelled or stalled.
bool MayGoOn(Exchange& exchange) {
  if (exchange.cancel.cancelled()) {
    return false;
  }
  const int64_t now_us = SystemClock().NowUs();
  if (now_us - exchange.window_start_us < exchange.limits.stall_timeout_ms * 1000) {
    return true;
  }
  curl_off_t down_bytes = 0;
  curl_easy_getinfo(exchange.easy, CURLINFO_SIZE_DOWNLOAD_T, &down_bytes);
  const auto min_bytes = static_cast<curl_off_t>(exchange.limits.stall_min_bytes);
  if (down_bytes - exchange.window_start_bytes < min_bytes) {
    exchange.stalled = true;
    return false;
  }
  exchange.window_start_us = now_us;
  exchange.window_start_bytes = down_bytes;
  return true;
}

void SetUp(const HttpRequest& request, Exchange& exchange, curl_slist* headers) {
  CURL* easy = exchange.easy;
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "sotto/0.1");
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  // A redirect may not leave TLS once it was there.
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR,
                   request.url.starts_with("https:") ? "https" : "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, request.follow_redirects ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(exchange.limits.connect_timeout_ms));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_NOBODY, request.head_only ? 1L : 0L);
  if (!request.bearer_token.empty()) {
    // As authentication rather than as a header: libcurl does not send it on to another host.
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
    curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, request.bearer_token.c_str());
  }
  if (request.offset_bytes > 0) {
    curl_easy_setopt(easy, CURLOPT_RANGE, (std::to_string(request.offset_bytes) + "-").c_str());
  }
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
}

// Runs the transfer through a multi handle, whose waits are ours: a blocking perform asks its
// callbacks only once a second when nothing moves.
CURLcode Perform(CURL* easy, Exchange& exchange) {
  struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };
  const std::unique_ptr<CURLM, MultiDeleter> multi(curl_multi_init());
  if (!multi || curl_multi_add_handle(multi.get(), easy) != CURLM_OK) {
    return CURLE_OUT_OF_MEMORY;
  }
  CURLcode code = CURLE_OK;
  int running = 1;
  while (running > 0) {
    if (curl_multi_perform(multi.get(), &running) != CURLM_OK) {
      code = CURLE_RECV_ERROR;
      break;
    }
    int queued = 0;
    if (const CURLMsg* message = curl_multi_info_read(multi.get(), &queued)) {
      code = message->data.result;
      break;
    }
    if (!MayGoOn(exchange)) {
      code = CURLE_ABORTED_BY_CALLBACK;
      break;
    }
    curl_multi_poll(multi.get(), nullptr, 0, 100, nullptr);
  }
  curl_multi_remove_handle(multi.get(), easy);
  return code;
}

// The only timeout that libcurl is given is that of connecting.
bool NoConnection(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
         code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT;
}

}  // namespace

std::string HttpResponse::Header(const std::string& name) const {
  const auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

HttpOutcome HttpExchange(const HttpRequest& request, const HttpHooks& hooks,
                         const HttpLimits& limits, const CancelToken& cancel) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  const EasyHandle easy(curl_easy_init());
  if (!easy) {
    return {.status = ResourceExhaustedError("http: out of memory")};
  }
  Exchange exchange{.hooks = hooks, .limits = limits, .cancel = cancel, .easy = easy.get()};
  exchange.window_start_us = SystemClock().NowUs();
  ListHandle headers;
  for (const std::string& header : request.headers) {
    curl_slist* longer = curl_slist_append(headers.get(), header.c_str());
    if (longer != nullptr) {
      static_cast<void>(headers.release());  // now part of `longer`
      headers.reset(longer);
    }
  }
  SetUp(request, exchange, headers.get());
  const CURLcode code = Perform(easy.get(), exchange);
  if (exchange.hook_status.ok() && code == CURLE_OK) {
    exchange.hook_status = Announce(exchange);  // responses without a body
  }
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &exchange.response.status);
  HttpOutcome outcome{.response = std::move(exchange.response)};
  if (!exchange.hook_status.ok()) {
    outcome.status = std::move(exchange.hook_status);
  } else if (cancel.cancelled()) {
    outcome.status = cancel.Check();
  } else if (exchange.stalled) {
    outcome.status =
        UnavailableError("stalled: under " + std::to_string(limits.stall_min_bytes) + " bytes in " +
                         std::to_string(limits.stall_timeout_ms) + " ms");
  } else if (code != CURLE_OK) {
    outcome.no_connection = NoConnection(code);
    outcome.status = UnavailableError(std::string(outcome.no_connection ? "no connection: " : "") +
                                      curl_easy_strerror(code) +
                                      (outcome.no_connection ? "; check the network" : ""));
  }
  return outcome;
}

Status HttpStatusError(long status, const std::string& what) {
  const std::string text = what + ": HTTP " + std::to_string(status);
  switch (status) {
    case 401:
    case 403:
      return PermissionDeniedError(
          text + ": access refused; accept the model's terms on its page and set HF_TOKEN");
    case 404:
    case 410:
      return NotFoundError(text + ": no such file there");
    default:
      return UnavailableError(text);
  }
}

}  // namespace sotto
