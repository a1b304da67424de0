#include "store/json.h"

#include <nlohmann/json.hpp>

namespace sotto {
namespace {

// Looking up and inserting members is logarithmic here; the ordered kind walks them all, which a
// lexicon of 90 000 entries, or a hostile file, turns into minutes.
using Node = nlohmann::json;
using OutNode = nlohmann::ordered_json;

const Node& AsNode(const std::shared_ptr<const void>& node) {
  return *static_cast<const Node*>(node.get());
}

const Node* Find(const Node& object, std::string_view key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

// Absent and null read alike.
const Node* FindSet(const Node& object, std::string_view key) {
  const Node* node = Find(object, key);
  return node == nullptr || node->is_null() ? nullptr : node;
}

}  // namespace

Result<JsonView> JsonView::Parse(std::string_view text, std::string_view what) {
  if (text.size() > kMaxBytes) {
    return DataLossError(std::string(what) + ": " + std::to_string(text.size()) + " bytes: limit " +
                         std::to_string(kMaxBytes));
  }
  auto root = std::make_shared<Node>(Node::parse(text, nullptr, /*allow_exceptions=*/false));
  if (root->is_discarded()) {
    return DataLossError(std::string(what) + ": not valid JSON");
  }
  return JsonView(std::move(root), std::string(what));
}

Status CheckJson(std::string_view text, std::string_view what) {
  return Node::accept(text) ? OkStatus() : DataLossError(std::string(what) + ": not valid JSON");
}

bool JsonView::is_object() const { return AsNode(node_).is_object(); }
bool JsonView::is_array() const { return AsNode(node_).is_array(); }
bool JsonView::is_string() const { return AsNode(node_).is_string(); }
bool JsonView::Has(std::string_view key) const { return FindSet(AsNode(node_), key) != nullptr; }

Status JsonView::Error(std::string_view message) const {
  return DataLossError(where_ + ": " + std::string(message));
}

Result<JsonView> JsonView::Member(std::string_view key, std::string_view expected) const {
  const Node* node = FindSet(AsNode(node_), key);
  const std::string where = where_ + "." + std::string(key);
  if (node == nullptr) {
    return DataLossError(where + ": missing; expected " + std::string(expected));
  }
  return JsonView(std::shared_ptr<const void>(node_, node), where);
}

Result<std::string> JsonView::AsString() const {
  const Node& node = AsNode(node_);
  if (!node.is_string()) {
    return Error("not a string");
  }
  return node.get_ref<const std::string&>();
}

Result<std::string> JsonView::String(std::string_view key) const {
  SOTTO_ASSIGN_OR_RETURN(const JsonView member, Member(key, "a string"));
  return member.AsString();
}

Result<std::string> JsonView::StringOr(std::string_view key, std::string_view fallback) const {
  return Has(key) ? String(key) : Result<std::string>(std::string(fallback));
}

Result<uint64_t> JsonView::Uint(std::string_view key) const {
  SOTTO_ASSIGN_OR_RETURN(const JsonView member, Member(key, "a whole number"));
  const Node& node = AsNode(member.node_);
  if (!node.is_number_unsigned()) {
    return member.Error("not a whole number of at least 0");
  }
  return node.get<uint64_t>();
}

Result<uint64_t> JsonView::UintOr(std::string_view key, uint64_t fallback) const {
  return Has(key) ? Uint(key) : Result<uint64_t>(fallback);
}

Result<double> JsonView::NumberOr(std::string_view key, double fallback) const {
  if (!Has(key)) {
    return fallback;
  }
  SOTTO_ASSIGN_OR_RETURN(const JsonView member, Member(key, "a number"));
  const Node& node = AsNode(member.node_);
  if (!node.is_number()) {
    return member.Error("not a number");
  }
  return node.get<double>();
}

Result<bool> JsonView::BoolOr(std::string_view key, bool fallback) const {
  if (!Has(key)) {
    return fallback;
  }
  SOTTO_ASSIGN_OR_RETURN(const JsonView member, Member(key, "true or false"));
  const Node& node = AsNode(member.node_);
  if (!node.is_boolean()) {
    return member.Error("not true or false");
  }
  return node.get<bool>();
}

Result<JsonView> JsonView::Object(std::string_view key) const {
  SOTTO_ASSIGN_OR_RETURN(JsonView member, Member(key, "an object"));
  if (!member.is_object()) {
    return member.Error("not an object");
  }
  return member;
}

Result<std::vector<JsonView>> JsonView::Array(std::string_view key) const {
  SOTTO_ASSIGN_OR_RETURN(const JsonView member, Member(key, "an array"));
  const Node& node = AsNode(member.node_);
  if (!node.is_array()) {
    return member.Error("not an array");
  }
  std::vector<JsonView> items;
  items.reserve(node.size());
  for (const Node& item : node) {
    items.push_back(JsonView(std::shared_ptr<const void>(node_, &item),
                             member.where_ + "[" + std::to_string(items.size()) + "]"));
  }
  return items;
}

Result<std::vector<JsonView>> JsonView::ArrayOr(std::string_view key) const {
  return Has(key) ? Array(key) : Result<std::vector<JsonView>>(std::vector<JsonView>());
}

Result<std::vector<std::string>> JsonView::StringsOr(std::string_view key) const {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> items, ArrayOr(key));
  std::vector<std::string> strings;
  for (const JsonView& item : items) {
    SOTTO_ASSIGN_OR_RETURN(std::string text, item.AsString());
    strings.push_back(std::move(text));
  }
  return strings;
}

std::vector<std::string> JsonView::Keys() const {
  std::vector<std::string> keys;
  const Node& node = AsNode(node_);
  if (node.is_object()) {
    for (auto it = node.begin(); it != node.end(); ++it) {
      keys.push_back(it.key());
    }
  }
  return keys;
}

struct JsonOut::Impl {
  OutNode node;
};

JsonOut::JsonOut(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JsonOut::JsonOut(JsonOut&&) noexcept = default;
JsonOut& JsonOut::operator=(JsonOut&&) noexcept = default;
JsonOut::~JsonOut() = default;

JsonOut JsonOut::Object() {
  return JsonOut(std::make_unique<Impl>(Impl{.node = OutNode::object()}));
}
JsonOut JsonOut::Array() { return JsonOut(std::make_unique<Impl>(Impl{.node = OutNode::array()})); }

JsonOut& JsonOut::Set(std::string_view key, std::string_view value) {
  impl_->node[std::string(key)] = std::string(value);
  return *this;
}
JsonOut& JsonOut::Set(std::string_view key, uint64_t value) {
  impl_->node[std::string(key)] = value;
  return *this;
}
JsonOut& JsonOut::Set(std::string_view key, double value) {
  impl_->node[std::string(key)] = value;
  return *this;
}
JsonOut& JsonOut::Set(std::string_view key, bool value) {
  impl_->node[std::string(key)] = value;
  return *this;
}
JsonOut& JsonOut::Set(std::string_view key, JsonOut value) {
  impl_->node[std::string(key)] = std::move(value.impl_->node);
  return *this;
}
JsonOut& JsonOut::SetNull(std::string_view key) {
  impl_->node[std::string(key)] = nullptr;
  return *this;
}
JsonOut& JsonOut::Set(std::string_view key, const std::vector<std::string>& values) {
  JsonOut array = Array();
  for (const std::string& value : values) {
    array.Add(value);
  }
  return Set(key, std::move(array));
}
JsonOut& JsonOut::Add(std::string_view value) {
  impl_->node.push_back(std::string(value));
  return *this;
}
JsonOut& JsonOut::Add(JsonOut value) {
  impl_->node.push_back(std::move(value.impl_->node));
  return *this;
}

std::string JsonOut::Dump(int indent) const {
  return impl_->node.dump(indent, ' ', false, OutNode::error_handler_t::replace);
}

}  // namespace sotto
