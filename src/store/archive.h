// Members out of wheels (zip) and npm tarballs (tar.gz).
#ifndef SOTTO_STORE_ARCHIVE_H_
#define SOTTO_STORE_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

// Writes each wanted member (path inside -> path to write) of `archive_path`, in one pass; nothing
// else is unpacked and member paths never become file names. Each file is synced. `on_bytes` is
// told how many bytes were written so far.
// NOT_FOUND names a member that is not there; DATA_LOSS means a broken archive or a member over
// `max_member_bytes`; RESOURCE_EXHAUSTED a full disk. Partly written files are removed.
Status ExtractMembers(const std::string& archive_path,
                      const std::map<std::string, std::string>& wanted, uint64_t max_member_bytes,
                      const CancelToken& cancel, const std::function<void(uint64_t)>& on_bytes);

}  // namespace sotto

#endif  // SOTTO_STORE_ARCHIVE_H_
