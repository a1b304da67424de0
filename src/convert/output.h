// The file a converter writes: buffered, reported, and appearing whole or not at all.
#ifndef SOTTO_CONVERT_OUTPUT_H_
#define SOTTO_CONVERT_OUTPUT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/status.h"
#include "convert/elements.h"

namespace sotto {

class ConvertOutput {
 public:
  // `total_bytes` of source tensors will be given to WriteTensor; progress is told against it.
  static Result<ConvertOutput> Create(const std::string& path, uint64_t total_bytes,
                                      std::function<bool(double)> on_progress);

  Status Write(std::string_view bytes) { return writer_.Append(bytes); }

  // Converts and writes every element of `tensor`. `name` (file and field) is for messages.
  // CANCELLED when the progress function says so; DATA_LOSS when a weight is not a finite number
  // or too large for `type`. REQUIRES: rows are whole blocks of `type`.
  Status WriteTensor(std::string_view name, const WeightView& tensor, OutputType type);

  // Zeros up to the next multiple of `alignment_bytes` after `size_bytes`.
  Status Pad(uint64_t size_bytes, uint64_t alignment_bytes);

  Status Commit() { return writer_.Commit(); }

 private:
  ConvertOutput(AtomicFileWriter writer, uint64_t total_bytes,
                std::function<bool(double)> on_progress)
      : writer_(std::move(writer)),
        total_bytes_(total_bytes),
        on_progress_(std::move(on_progress)) {}

  Status Report(uint64_t read_bytes);

  AtomicFileWriter writer_;
  uint64_t total_bytes_;
  uint64_t done_bytes_ = 0;
  std::function<bool(double)> on_progress_;
};

}  // namespace sotto

#endif  // SOTTO_CONVERT_OUTPUT_H_
