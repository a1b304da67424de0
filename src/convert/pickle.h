// A reader of the pickles in torch files (protocol 2), for data alone.
#ifndef SOTTO_CONVERT_PICKLE_H_
#define SOTTO_CONVERT_PICKLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modelfiles/byte_reader.h"

namespace sotto {

// Values live in one pool and name each other by index, so that a pickle that contains itself is
// only data.
struct PickleValue {
  enum class Kind {
    kNone,  // also booleans, floats and integers of more than 64 bits
    kInt,
    kText,
    kSequence,  // tuple or list; items
    kDict,      // items: key, value, key, value...
    kGlobal,    // text: module and name with a blank between
    kStorage,   // items: the five of torch's persistent id
    kTensor,    // items: storage, offset, size, stride
  };
  Kind kind = Kind::kNone;
  int64_t number = 0;
  std::string_view text = {};
  std::vector<uint32_t> items = {};
};

class Pickle {
 public:
  // Reads one pickle up to its STOP. The reason when it is malformed, uses an instruction or a
  // constructor outside of the subset, or is too large; else empty. Time and memory are linear in
  // the bytes read.
  std::string Read(ByteReader& in);

  // After a Read() that succeeded.
  const PickleValue& root() const { return values_[root_]; }
  const PickleValue& at(uint32_t index) const { return values_[index]; }
  const std::vector<PickleValue>& values() const { return values_; }

  // The value of text key `key` in `dict`, or nullptr.
  const PickleValue* Find(const PickleValue& dict, std::string_view key) const;

 private:
  using Kind = PickleValue::Kind;

  std::string Step(uint8_t opcode, ByteReader& in);
  bool StepScalar(uint8_t opcode, ByteReader& in, bool& known);
  bool StepMemo(uint8_t opcode, ByteReader& in, bool& known);
  bool StepContainer(uint8_t opcode, bool& known);
  std::string Reduce();
  bool PersistentId();
  std::vector<uint32_t> FirstItems(uint32_t index, size_t count) const;
  bool ReadGlobal(ByteReader& in);
  bool PushText(ByteReader& in);
  bool PushLong(ByteReader& in);

  uint32_t Push(PickleValue value);
  void PushInt(int64_t number);
  bool Pop(uint32_t& out);
  bool PopToMark(std::vector<uint32_t>& out);
  bool PushTuple(size_t count);
  bool ExtendTop(const std::vector<uint32_t>& items, Kind kind);

  std::vector<PickleValue> values_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, uint32_t> memo_;
  uint32_t root_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_CONVERT_PICKLE_H_
