#include "store/receipt.h"

#include <algorithm>

#include "base/file.h"
#include "store/json.h"
#include "store/sha256.h"

namespace sotto {
namespace {

constexpr uint64_t kMaxBytes = 4u << 20;

Result<FetchedFile> ReadFetched(const JsonView& at) {
  FetchedFile file;
  SOTTO_ASSIGN_OR_RETURN(file.name, at.String("name"));
  SOTTO_ASSIGN_OR_RETURN(file.sha256, at.String("sha256"));
  SOTTO_ASSIGN_OR_RETURN(file.size_bytes, at.Uint("size_bytes"));
  SOTTO_ASSIGN_OR_RETURN(file.source, at.StringOr("source", ""));
  SOTTO_ASSIGN_OR_RETURN(file.hub_blob, at.StringOr("hub_blob", ""));
  SOTTO_ASSIGN_OR_RETURN(file.hub_commit, at.StringOr("hub_commit", ""));
  SOTTO_ASSIGN_OR_RETURN(file.hub_fetched, at.BoolOr("hub_fetched", false));
  if (!IsPlainPath(file.name) || !IsSha256(file.sha256)) {
    return at.Error("name or sha256 is malformed");
  }
  return file;
}

}  // namespace

const FetchedFile* Receipt::Find(const std::string& name) const {
  const auto it = std::ranges::find(files, name, &FetchedFile::name);
  return it == files.end() ? nullptr : &*it;
}

bool Receipt::Covers(const CatalogueModel& model) const {
  return std::ranges::all_of(model.files, [&](const CatalogueFile& file) {
    const FetchedFile* mine = Find(file.name);
    return mine != nullptr && (file.pinned_at_pull() || mine->sha256 == file.sha256);
  });
}

Result<Receipt> Receipt::Read(const Layout& layout, const std::string& id) {
  const std::string path = layout.Receipt(id);
  SOTTO_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxBytes));
  SOTTO_ASSIGN_OR_RETURN(const JsonView root, JsonView::Parse(text, path));
  Receipt receipt;
  SOTTO_ASSIGN_OR_RETURN(receipt.id, root.String("id"));
  SOTTO_ASSIGN_OR_RETURN(receipt.by_name, root.BoolOr("by_name", false));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> files, root.Array("files"));
  for (const JsonView& at : files) {
    SOTTO_ASSIGN_OR_RETURN(FetchedFile file, ReadFetched(at));
    receipt.files.push_back(std::move(file));
  }
  return receipt;
}

Status Receipt::Write(const Layout& layout) const {
  JsonOut array = JsonOut::Array();
  for (const FetchedFile& file : files) {
    JsonOut out = JsonOut::Object();
    out.Set("name", file.name).Set("sha256", file.sha256).Set("size_bytes", file.size_bytes);
    out.Set("source", file.source);
    if (!file.hub_blob.empty()) {
      out.Set("hub_blob", file.hub_blob).Set("hub_commit", file.hub_commit);
      out.Set("hub_fetched", file.hub_fetched);
    }
    array.Add(std::move(out));
  }
  JsonOut root = JsonOut::Object();
  root.Set("id", id).Set("by_name", by_name).Set("files", std::move(array));
  return WriteWhole(layout.Receipt(id), root.Dump(1) + "\n");
}

Result<Pins> ReadPins(const Layout& layout, const std::string& id) {
  const std::string path = layout.Pins(id);
  Result<std::string> text = ReadFile(path, kMaxBytes);
  if (!text.ok()) {
    return text.status().code() == Code::kNotFound ? Result<Pins>(Pins()) : text.status();
  }
  SOTTO_ASSIGN_OR_RETURN(const JsonView root, JsonView::Parse(*text, path));
  Pins pins;
  for (const std::string& name : root.Keys()) {
    SOTTO_ASSIGN_OR_RETURN(const JsonView at, root.Object(name));
    HubPin& pin = pins[name];
    SOTTO_ASSIGN_OR_RETURN(pin.sha256, at.String("sha256"));
    SOTTO_ASSIGN_OR_RETURN(pin.commit, at.StringOr("commit", ""));
    SOTTO_ASSIGN_OR_RETURN(pin.size_bytes, at.UintOr("size_bytes", 0));
    if (!IsSha256(pin.sha256) || (!pin.commit.empty() && !IsModelId(pin.commit))) {
      return at.Error("malformed pin");
    }
  }
  return pins;
}

Status WritePins(const Layout& layout, const std::string& id, const Pins& pins) {
  JsonOut root = JsonOut::Object();
  for (const auto& [name, pin] : pins) {
    JsonOut out = JsonOut::Object();
    out.Set("sha256", pin.sha256).Set("commit", pin.commit).Set("size_bytes", pin.size_bytes);
    root.Set(name, std::move(out));
  }
  return WriteWhole(layout.Pins(id), root.Dump(1) + "\n");
}

}  // namespace sotto
