// Where the store keeps things, and the small file operations it is made of.
//
//   DIR/blobs/sha256-HEX            contents, by hash; complete and checked, read-only
//   DIR/models/ID/NAME              links to blobs (or into the hub's cache): the readable names
//   DIR/models/ID/receipt.json      written last: the model is installed
//   DIR/models/ID/damaged           verification found a wrong hash: the next pull looks again
//   DIR/packs/ID/manifest.json      the pack is installed
//   DIR/pins/ID.json                hashes taken from the hub at the first pull
//   DIR/tmp/parts/KEY.part(.json)   downloads on their way, and how far they are
//   DIR/tmp/packages/KEY/           members taken out of packages, not yet used
//   DIR/tmp/inputs/KEY/             files for a converter
//   DIR/tmp/check/KEY/              a link under the file's own name while it is validated
//   DIR/locks/KEY.lock              one per file, per package, and one for the store
#ifndef SOTTO_STORE_LAYOUT_H_
#define SOTTO_STORE_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

// The value of an environment variable; `fallback` when unset or empty.
std::string EnvironmentOr(const char* name, std::string_view fallback);

// SOTTO_HOME, else XDG_DATA_HOME/sotto/models, else ~/.local/share/sotto/models.
std::string DefaultStoreDir();
// $HOME, or where the system's user database has this user at home.
std::string HomeDir();

struct Layout {
  std::string dir;

  std::string Blob(std::string_view sha256) const { return dir + "/blobs/" + BlobName(sha256); }
  static std::string BlobName(std::string_view sha256) { return "sha256-" + std::string(sha256); }
  std::string ModelDir(std::string_view id) const { return dir + "/models/" + std::string(id); }
  std::string Receipt(std::string_view id) const { return ModelDir(id) + "/receipt.json"; }
  std::string Damaged(std::string_view id) const { return ModelDir(id) + "/damaged"; }
  std::string PackDir(std::string_view id) const { return dir + "/packs/" + std::string(id); }
  std::string PackManifest(std::string_view id) const { return PackDir(id) + "/manifest.json"; }
  std::string Pins(std::string_view id) const { return dir + "/pins/" + std::string(id) + ".json"; }
  std::string Part(std::string_view key) const {
    return dir + "/tmp/parts/" + std::string(key) + ".part";
  }
  std::string PackageDir(std::string_view key) const {
    return dir + "/tmp/packages/" + std::string(key);
  }
  std::string InputDir(std::string_view key) const {
    return dir + "/tmp/inputs/" + std::string(key);
  }
  std::string CheckDir(std::string_view key) const {
    return dir + "/tmp/check/" + std::string(key);
  }
  std::string Lock(std::string_view key) const {
    return dir + "/locks/" + std::string(key) + ".lock";
  }

  // Makes the folders.
  Status Create() const;
};

// As mkdir -p.
Status MakeDirs(const std::string& path);
// Removes a file or a tree; absent is fine.
void RemoveTree(const std::string& path);
// Makes `link` point to `target`, replacing what was there in one step; makes its folder.
Status ReplaceLink(const std::string& target, const std::string& link);
// Removes temporary files that a killed process left beside `path` (names that begin with it and
// ".tmp-"). The caller holds the lock under which such files are made.
void RemoveTemporaries(const std::string& path);
// Renames and syncs the folder, so that the new name survives a power cut.
Status RenameDurably(const std::string& from, const std::string& to);
// Takes away what no file can take the place of, or what would send it elsewhere: a folder, a link,
// a pipe, a device. For names inside the store alone.
void ClearForFile(const std::string& path);
// A whole small file of the store, written atomically; makes its folder.
Status WriteWhole(const std::string& path, std::string_view text);
// Bytes of the regular files below a folder.
uint64_t TreeBytes(const std::string& path);
// Free bytes for this user on the file system of `path` (or of its nearest existing parent).
Result<uint64_t> FreeBytes(const std::string& path);
// True when both paths (or their nearest existing parents) are on one file system.
bool OnOneDisk(const std::string& a, const std::string& b);
// Waits, but not through a cancel.
Status PauseMs(int64_t wait_ms, const CancelToken& cancel);

// "1.2 GB", for messages.
std::string HumanBytes(uint64_t bytes);

}  // namespace sotto

#endif  // SOTTO_STORE_LAYOUT_H_
