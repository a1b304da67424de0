// What the store writes down about an installed model, and about hashes it took from the hub.
#ifndef SOTTO_STORE_RECEIPT_H_
#define SOTTO_STORE_RECEIPT_H_

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/catalogue.h"
#include "store/fetch.h"
#include "store/layout.h"

namespace sotto {

// Written last, when every file of a model is here.
struct Receipt {
  std::string id = {};
  bool by_name = false;  // pulled by its own id, not only as part of a pack
  std::vector<FetchedFile> files = {};

  const FetchedFile* Find(const std::string& name) const;
  // True when it tells of every file of `model`, each with the catalogue's hash.
  bool Covers(const CatalogueModel& model) const;

  // NOT_FOUND: not installed. DATA_LOSS: not a receipt.
  static Result<Receipt> Read(const Layout& layout, const std::string& id);
  Status Write(const Layout& layout) const;
};

// File name -> pin. Survives removal of the model, so that the same bytes come back.
using Pins = std::map<std::string, HubPin>;
Result<Pins> ReadPins(const Layout& layout, const std::string& id);
Status WritePins(const Layout& layout, const std::string& id, const Pins& pins);

}  // namespace sotto

#endif  // SOTTO_STORE_RECEIPT_H_
