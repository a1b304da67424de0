// JSON for the store's own files: typed reads whose errors name the place, and ordered writing.
//
//   SOTTO_ASSIGN_OR_RETURN(JsonView root, JsonView::Parse(text, "catalogue"));
//   SOTTO_ASSIGN_OR_RETURN(std::string id, root.String("id"));
//   // data_loss: "catalogue.id: missing; expected a string"
//
// The parser behind it is seen by json.cc alone.
#ifndef SOTTO_STORE_JSON_H_
#define SOTTO_STORE_JSON_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

// OK when `text` is one JSON document; builds nothing.
Status CheckJson(std::string_view text, std::string_view what);

// One value inside a parsed document; keeps the document alive. Cheap to copy.
class JsonView {
 public:
  // DATA_LOSS when `text` is not JSON, is not UTF-8 or is larger than kMaxBytes. `what` begins
  // every message about the document.
  static Result<JsonView> Parse(std::string_view text, std::string_view what);
  static constexpr uint64_t kMaxBytes = 16u << 20;

  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool Has(std::string_view key) const;

  // Members of an object. The plain ones are DATA_LOSS when the member is absent or of another
  // type; those ending in Or give the fallback when it is absent or null.
  Result<std::string> String(std::string_view key) const;
  Result<std::string> StringOr(std::string_view key, std::string_view fallback) const;
  Result<uint64_t> Uint(std::string_view key) const;
  Result<uint64_t> UintOr(std::string_view key, uint64_t fallback) const;
  Result<double> NumberOr(std::string_view key, double fallback) const;
  Result<bool> BoolOr(std::string_view key, bool fallback) const;
  Result<JsonView> Object(std::string_view key) const;
  Result<std::vector<JsonView>> Array(std::string_view key) const;
  Result<std::vector<JsonView>> ArrayOr(std::string_view key) const;  // empty when absent
  Result<std::vector<std::string>> StringsOr(std::string_view key) const;
  // Keys of an object, sorted.
  std::vector<std::string> Keys() const;

  // This value itself, DATA_LOSS when it is not a string.
  Result<std::string> AsString() const;

  // DATA_LOSS at this place: "WHERE: message".
  Status Error(std::string_view message) const;
  const std::string& where() const { return where_; }

 private:
  JsonView(std::shared_ptr<const void> node, std::string where)
      : node_(std::move(node)), where_(std::move(where)) {}
  Result<JsonView> Member(std::string_view key, std::string_view expected) const;

  std::shared_ptr<const void> node_;
  std::string where_;
};

// An object or array under construction; members keep the order in which they were added.
class JsonOut {
 public:
  static JsonOut Object();
  static JsonOut Array();
  JsonOut(JsonOut&&) noexcept;
  JsonOut& operator=(JsonOut&&) noexcept;
  ~JsonOut();

  // REQUIRES: made by Object(). Bytes that are not UTF-8 become U+FFFD in Dump().
  JsonOut& Set(std::string_view key, std::string_view value);
  JsonOut& Set(std::string_view key, const char* value) {
    return Set(key, std::string_view(value));
  }
  JsonOut& Set(std::string_view key, uint64_t value);
  JsonOut& Set(std::string_view key, double value);
  JsonOut& Set(std::string_view key, bool value);
  JsonOut& Set(std::string_view key, JsonOut value);
  JsonOut& SetNull(std::string_view key);
  JsonOut& Set(std::string_view key, const std::vector<std::string>& values);
  // REQUIRES: made by Array().
  JsonOut& Add(std::string_view value);
  JsonOut& Add(JsonOut value);

  // `indent` spaces a level; negative: one line.
  std::string Dump(int indent = -1) const;

 private:
  struct Impl;
  explicit JsonOut(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto

#endif  // SOTTO_STORE_JSON_H_
