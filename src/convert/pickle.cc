#include "convert/pickle.h"

#include <cstddef>

namespace sotto {
namespace {

// Resemblyzer's largest pickle has 1700 instructions.
constexpr size_t kMaxValues = 1u << 20;

// Opcodes of pickle protocol 2.
enum Opcode : uint8_t {
  kMark = '(',
  kStop = '.',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kEmptyDict = '}',
  kBinFloat = 'G',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8A,
};

}  // namespace

std::string Pickle::Read(ByteReader& in) {
  values_.clear();
  stack_.clear();
  marks_.clear();
  memo_.clear();
  uint8_t opcode = 0;
  while (in.Read(opcode)) {
    if (opcode == kStop) {
      if (!Pop(root_)) {
        return "a pickle ends without a value";
      }
      return {};
    }
    if (std::string what = Step(opcode, in); !what.empty()) {
      return what;
    }
    if (values_.size() > kMaxValues) {
      return "a pickle has more than " + std::to_string(kMaxValues) + " values";
    }
  }
  return "a pickle is cut short";
}

const PickleValue* Pickle::Find(const PickleValue& dict, std::string_view key) const {
  if (dict.kind != Kind::kDict) {
    return nullptr;
  }
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& name = values_[dict.items[i]];
    if (name.kind == Kind::kText && name.text == key) {
      return &values_[dict.items[i + 1]];
    }
  }
  return nullptr;
}

std::string Pickle::Step(uint8_t opcode, ByteReader& in) {
  if (opcode == kReduce) {
    return Reduce();
  }
  bool known = false;
  bool ok = StepScalar(opcode, in, known);
  if (!known) {
    ok = StepMemo(opcode, in, known);
  }
  if (!known) {
    ok = StepContainer(opcode, known);
  }
  if (!known) {
    return "a pickle has instruction " + std::to_string(opcode) + ", which is not plain data";
  }
  return ok ? "" : "a pickle is malformed at instruction " + std::to_string(opcode);
}

bool Pickle::StepScalar(uint8_t opcode, ByteReader& in, bool& known) {
  known = true;
  switch (opcode) {
    case kProto: {
      uint8_t version = 0;
      return in.Read(version) && version <= 2;
    }
    case kBinInt: {
      int32_t number = 0;
      const bool ok = in.Read(number);
      PushInt(number);
      return ok;
    }
    case kBinInt1: {
      uint8_t number = 0;
      const bool ok = in.Read(number);
      PushInt(number);
      return ok;
    }
    case kBinInt2: {
      uint16_t number = 0;
      const bool ok = in.Read(number);
      PushInt(number);
      return ok;
    }
    case kLong1:
      return PushLong(in);
    case kBinFloat:
      Push({});
      return in.Skip(8);
    case kNone:
    case kNewTrue:
    case kNewFalse:
      Push({});
      return true;
    case kBinUnicode:
      return PushText(in);
    case kGlobal:
      return ReadGlobal(in);
    default:
      known = false;
      return false;
  }
}

bool Pickle::StepMemo(uint8_t opcode, ByteReader& in, bool& known) {
  known = true;
  uint8_t small = 0;
  uint32_t slot = 0;
  switch (opcode) {
    case kBinPut:
    case kBinGet:
      if (!in.Read(small)) {
        return false;
      }
      slot = small;
      break;
    case kLongBinPut:
    case kLongBinGet:
      if (!in.Read(slot)) {
        return false;
      }
      break;
    default:
      known = false;
      return false;
  }
  if (opcode == kBinPut || opcode == kLongBinPut) {
    if (stack_.empty()) {
      return false;
    }
    memo_[slot] = stack_.back();
    return true;
  }
  const auto found = memo_.find(slot);
  if (found == memo_.end()) {
    return false;
  }
  stack_.push_back(found->second);
  return true;
}

bool Pickle::StepContainer(uint8_t opcode, bool& known) {
  known = true;
  std::vector<uint32_t> items;
  uint32_t first = 0;
  uint32_t second = 0;
  switch (opcode) {
    case kMark:
      marks_.push_back(stack_.size());
      return true;
    case kEmptyList:
    case kEmptyTuple:
      Push({.kind = Kind::kSequence});
      return true;
    case kEmptyDict:
      Push({.kind = Kind::kDict});
      return true;
    case kTuple:
      if (!PopToMark(items)) {
        return false;
      }
      Push({.kind = Kind::kSequence, .items = std::move(items)});
      return true;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      return PushTuple(opcode - kTuple1 + 1u);
    case kAppend:
      return Pop(first) && ExtendTop({first}, Kind::kSequence);
    case kAppends:
      return PopToMark(items) && ExtendTop(items, Kind::kSequence);
    case kSetItem:
      return Pop(second) && Pop(first) && ExtendTop({first, second}, Kind::kDict);
    case kSetItems:
      return PopToMark(items) && items.size() % 2 == 0 && ExtendTop(items, Kind::kDict);
    case kBuild:
      return Pop(first) && !stack_.empty();  // attributes of an OrderedDict; nobody asks for them
    case kBinPersId:
      return PersistentId();
    default:
      known = false;
      return false;
  }
}

// callable, arguments -> value. The three callables of a state dict become data.
std::string Pickle::Reduce() {
  uint32_t arguments = 0;
  uint32_t callable = 0;
  if (!Pop(arguments) || !Pop(callable) || values_[callable].kind != Kind::kGlobal ||
      values_[arguments].kind != Kind::kSequence) {
    return "a pickle calls something that is no constructor";
  }
  const std::string_view name = values_[callable].text;
  if (name == "collections\nOrderedDict") {
    Push({.kind = Kind::kDict});
    return {};
  }
  const std::vector<uint32_t>& items = values_[arguments].items;
  if (name == "torch._utils\n_rebuild_tensor_v2" && items.size() >= 4) {
    Push({.kind = Kind::kTensor, .items = FirstItems(arguments, 4)});
    return {};
  }
  if (name == "torch._utils\n_rebuild_parameter" && !items.empty()) {
    stack_.push_back(items[0]);
    return {};
  }
  return "a pickle calls a constructor that no state dict needs";
}

bool Pickle::PersistentId() {
  uint32_t id = 0;
  if (!Pop(id) || values_[id].kind != Kind::kSequence || values_[id].items.size() < 5) {
    return false;
  }
  Push({.kind = Kind::kStorage, .items = FirstItems(id, 5)});
  return true;
}

// A copy of fixed size: a long tuple named again and again costs nothing.
std::vector<uint32_t> Pickle::FirstItems(uint32_t index, size_t count) const {
  const std::vector<uint32_t>& items = values_[index].items;
  return {items.begin(), items.begin() + static_cast<ptrdiff_t>(count)};
}

// Two lines: module, name.
bool Pickle::ReadGlobal(ByteReader& in) {
  ByteReader ahead = in;
  std::string_view rest;
  if (!ahead.ReadText(ahead.remaining_bytes(), rest)) {
    return false;
  }
  constexpr size_t kMaxNameBytes = 256;
  rest = rest.substr(0, kMaxNameBytes);
  const size_t module_end = rest.find('\n');
  const size_t name_end =
      module_end == std::string_view::npos ? module_end : rest.find('\n', module_end + 1);
  if (name_end == std::string_view::npos) {
    return false;
  }
  Push({.kind = Kind::kGlobal, .text = rest.substr(0, name_end)});
  return in.Skip(name_end + 1);
}

bool Pickle::PushText(ByteReader& in) {
  uint32_t size_bytes = 0;
  PickleValue value{.kind = Kind::kText};
  if (!in.Read(size_bytes) || !in.ReadText(size_bytes, value.text)) {
    return false;
  }
  Push(std::move(value));
  return true;
}

bool Pickle::PushLong(ByteReader& in) {
  uint8_t size_bytes = 0;
  std::string_view digits;
  if (!in.Read(size_bytes) || !in.ReadText(size_bytes, digits)) {
    return false;
  }
  if (digits.size() > sizeof(uint64_t)) {
    Push({});
    return true;
  }
  uint64_t number = !digits.empty() && (digits.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
  for (size_t i = digits.size(); i > 0; --i) {
    number = (number << 8) | static_cast<uint8_t>(digits[i - 1]);
  }
  PushInt(static_cast<int64_t>(number));
  return true;
}

uint32_t Pickle::Push(PickleValue value) {
  values_.push_back(std::move(value));
  stack_.push_back(static_cast<uint32_t>(values_.size() - 1));
  return stack_.back();
}

void Pickle::PushInt(int64_t number) { Push({.kind = Kind::kInt, .number = number}); }

bool Pickle::Pop(uint32_t& out) {
  if (stack_.empty() || (!marks_.empty() && stack_.size() == marks_.back())) {
    return false;
  }
  out = stack_.back();
  stack_.pop_back();
  return true;
}

bool Pickle::PopToMark(std::vector<uint32_t>& out) {
  if (marks_.empty()) {
    return false;
  }
  const auto first = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
  out.assign(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return true;
}

bool Pickle::PushTuple(size_t count) {
  std::vector<uint32_t> items(count);
  for (size_t i = count; i > 0; --i) {
    if (!Pop(items[i - 1])) {
      return false;
    }
  }
  Push({.kind = Kind::kSequence, .items = std::move(items)});
  return true;
}

bool Pickle::ExtendTop(const std::vector<uint32_t>& items, Kind kind) {
  if (stack_.empty() || values_[stack_.back()].kind != kind) {
    return false;
  }
  std::vector<uint32_t>& into = values_[stack_.back()].items;
  into.insert(into.end(), items.begin(), items.end());
  return true;
}

}  // namespace sotto
