#include "convert/output.h"

#include <algorithm>
#include <vector>

namespace sotto {
namespace {

constexpr uint64_t kChunkElements = 1u << 18;  // 1 MiB of float; a multiple of every block

}  // namespace

Result<ConvertOutput> ConvertOutput::Create(const std::string& path, uint64_t total_bytes,
                                            std::function<bool(double)> on_progress) {
  SOTTO_ASSIGN_OR_RETURN(AtomicFileWriter writer, AtomicFileWriter::Create(path));
  ConvertOutput output(std::move(writer), total_bytes, std::move(on_progress));
  SOTTO_RETURN_IF_ERROR(output.Report(0));
  return output;
}

Status ConvertOutput::Report(uint64_t read_bytes) {
  done_bytes_ += read_bytes;
  if (!on_progress_) {
    return OkStatus();
  }
  const double fraction =
      total_bytes_ == 0 ? 1.0
                        : static_cast<double>(done_bytes_) / static_cast<double>(total_bytes_);
  return on_progress_(std::min(fraction, 1.0)) ? OkStatus()
                                               : CancelledError("convert: cancelled by the caller");
}

Status ConvertOutput::WriteTensor(std::string_view name, const WeightView& tensor,
                                  OutputType type) {
  const uint64_t total = tensor.elements();
  std::vector<float> floats(std::min(total, kChunkElements));
  std::vector<std::byte> encoded(floats.size() / BlockElements(type) * BlockBytes(type));
  for (uint64_t first = 0; first < total; first += kChunkElements) {
    const uint64_t count = std::min(kChunkElements, total - first);
    const std::span<float> values(floats.data(), count);
    DecodeFloats(tensor, first, values);
    if (!FitsType(type, values)) {
      return DataLossError("convert: " + std::string(name) +
                           ": a weight is not finite or exceeds float16; the source is damaged");
    }
    const std::span<std::byte> out(encoded.data(), count / BlockElements(type) * BlockBytes(type));
    EncodeFloats(type, values, out);
    SOTTO_RETURN_IF_ERROR(writer_.Append(out));
    SOTTO_RETURN_IF_ERROR(Report(count * ElementBytes(tensor.type)));
  }
  return OkStatus();
}

Status ConvertOutput::Pad(uint64_t size_bytes, uint64_t alignment_bytes) {
  const uint64_t over = size_bytes % alignment_bytes;
  return over == 0 ? OkStatus() : writer_.Append(std::string(alignment_bytes - over, '\0'));
}

}  // namespace sotto
