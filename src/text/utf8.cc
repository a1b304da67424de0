#include "text/utf8.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace sotto {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

template <size_t N>
bool InRanges(const Range (&ranges)[N], char32_t c) {
  const Range* end = std::end(ranges);
  const Range* it = std::upper_bound(
      std::begin(ranges), end, c, [](char32_t value, const Range& r) { return value < r.first; });
  return it != std::begin(ranges) && c <= std::prev(it)->last;
}

// What a first byte promises: the size of its character and the range of the second byte
// (Unicode 15.0, table 3-7). Size 0: no character begins so.
struct Lead {
  uint8_t size;
  uint8_t second_min;
  uint8_t second_max;
};

Lead LeadOf(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Bytes of the whole valid character at `offset`, 0 if there is none.
size_t ValidSize(std::string_view text, size_t offset) {
  const Lead lead = LeadOf(static_cast<uint8_t>(text[offset]));
  if (lead.size <= 1) return lead.size;
  if (text.size() - offset < lead.size) return 0;
  const auto second = static_cast<uint8_t>(text[offset + 1]);
  if (second < lead.second_min || second > lead.second_max) return 0;
  for (size_t i = 2; i < lead.size; ++i) {
    if ((static_cast<uint8_t>(text[offset + i]) & 0xC0) != 0x80) return 0;
  }
  return lead.size;
}

}  // namespace

size_t ValidateUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const size_t size = ValidSize(text, i);
    if (size == 0) return i;
    i += size;
  }
  return kValidUtf8;
}

CodePoint DecodeUtf8(std::string_view text, size_t offset) {
  const size_t size = ValidSize(text, offset);
  if (size == 0) return {kReplacementCharacter, 1};
  const auto first = static_cast<uint8_t>(text[offset]);
  if (size == 1) return {first, 1};
  char32_t value = first & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    value = (value << 6) | (static_cast<uint8_t>(text[offset + i]) & 0x3Fu);
  }
  return {value, static_cast<uint32_t>(size)};
}

void AppendUtf8(char32_t value, std::string& out) {
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) value = kReplacementCharacter;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0 | (value >> 6));
    tail(0);
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0 | (value >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (value >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

size_t FloorToCharacter(std::string_view text, size_t limit_bytes) {
  if (limit_bytes >= text.size()) return text.size();
  while (limit_bytes > 0 && (static_cast<uint8_t>(text[limit_bytes]) & 0xC0) == 0x80) {
    --limit_bytes;
  }
  return limit_bytes;
}

size_t WholeCharactersPrefix(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const Lead lead = LeadOf(static_cast<uint8_t>(text[text.size() - back]));
    if (lead.size == 1) break;
    if (lead.size > back) {
      const auto second = static_cast<uint8_t>(back > 1 ? text[text.size() - back + 1] : 0);
      const bool possible = back == 1 || (second >= lead.second_min && second <= lead.second_max);
      return possible ? text.size() - back : text.size();
    }
    if (lead.size > 0) break;
  }
  return text.size();
}

std::string CodePointName(char32_t value) {
  char name[16];
  std::snprintf(name, sizeof(name), "U+%04X", static_cast<unsigned>(value));
  return name;
}

void Utf8Gate::Reject(std::string& out) {
  if (policy_ == Policy::kReplace) AppendUtf8(kReplacementCharacter, out);
  held_ = 0;
}

void Utf8Gate::Take(uint8_t byte, std::string& out) {
  if (held_ > 0) {
    if (byte >= next_min_ && byte <= next_max_) {
      pending_[held_++] = static_cast<char>(byte);
      next_min_ = 0x80;
      next_max_ = 0xBF;
      if (held_ == wanted_) {
        out.append(pending_, held_);
        held_ = 0;
      }
      return;
    }
    Reject(out);
  }
  const Lead lead = LeadOf(byte);
  if (lead.size == 0) {
    Reject(out);
  } else if (lead.size == 1) {
    out += static_cast<char>(byte);
  } else {
    pending_[0] = static_cast<char>(byte);
    held_ = 1;
    wanted_ = lead.size;
    next_min_ = lead.second_min;
    next_max_ = lead.second_max;
  }
}

std::string Utf8Gate::Feed(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + 3);
  for (const char byte : bytes) Take(static_cast<uint8_t>(byte), out);
  return out;
}

std::string Utf8Gate::Finish() {
  std::string out;
  if (held_ > 0) Reject(out);
  return out;
}

std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = AsciiLower(c);
  return lower;
}

// The ranges below are the blocks of Unicode 15.0 (Blocks.txt), cut where a block mixes letters
// with other characters that occur in prose.

Script ScriptOf(char32_t c) {
  if (c < 0x80) return IsAsciiAlpha(c) ? Script::kLatin : Script::kCommon;
  static constexpr Range kLatin[] = {
      {0xAA, 0xAA},     {0xBA, 0xBA},     {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2AF},
      {0x1D00, 0x1DBF}, {0x1E00, 0x1EFF}, {0x2C60, 0x2C7F}, {0xA722, 0xA7FF}, {0xAB30, 0xAB6F},
      {0xFB00, 0xFB06}, {0xFF21, 0xFF3A}, {0xFF41, 0xFF5A}};
  if (InRanges(kLatin, c)) return Script::kLatin;
  static constexpr Range kCommon[] = {
      {0x80, 0xBF},       {0xD7, 0xD7},       {0xF7, 0xF7},       {0x2B0, 0x36F},
      {0x37E, 0x37E},     {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},   {0x2000, 0x2BFF},
      {0x3000, 0x3004},   {0x3007, 0x3030},   {0x303D, 0x303F},   {0x3099, 0x309C},
      {0x30FB, 0x30FB},   {0xE000, 0xF8FF},   {0xFE00, 0xFE6F},   {0xFEFF, 0xFEFF},
      {0xFF00, 0xFF20},   {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65},   {0xFFE0, 0xFFFF},
      {0x1D400, 0x1D7FF}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF}};
  if (InRanges(kCommon, c)) return Script::kCommon;
  if ((c >= 0x370 && c <= 0x3FF) || (c >= 0x1F00 && c <= 0x1FFF)) return Script::kGreek;
  static constexpr Range kCyrillic[] = {
      {0x400, 0x52F}, {0x1C80, 0x1C8F}, {0x2DE0, 0x2DFF}, {0xA640, 0xA69F}};
  if (InRanges(kCyrillic, c)) return Script::kCyrillic;
  static constexpr Range kHan[] = {{0x2E80, 0x2FDF},  {0x3005, 0x3006}, {0x3031, 0x303C},
                                   {0x3400, 0x4DBF},  {0x4E00, 0x9FFF}, {0xF900, 0xFAFF},
                                   {0x20000, 0x323AF}};
  if (InRanges(kHan, c)) return Script::kHan;
  static constexpr Range kKana[] = {
      {0x3040, 0x30FF}, {0x31F0, 0x31FF}, {0xFF66, 0xFF9F}, {0x1AFF0, 0x1B16F}};
  if (InRanges(kKana, c)) return Script::kKana;
  static constexpr Range kHangul[] = {
      {0x1100, 0x11FF}, {0x3130, 0x318F}, {0xA960, 0xA97F}, {0xAC00, 0xD7FF}, {0xFFA0, 0xFFDC}};
  if (InRanges(kHangul, c)) return Script::kHangul;
  return Script::kOther;
}

bool IsCombiningMark(char32_t c) {
  static constexpr Range kMarks[] = {
      {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},
      {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xFE20, 0xFE2F}};
  return InRanges(kMarks, c);
}

bool IsLetter(char32_t c) { return ScriptOf(c) != Script::kCommon && !IsCombiningMark(c); }

bool IsCjk(char32_t c) {
  const Script script = ScriptOf(c);
  return script == Script::kHan || script == Script::kKana || (c >= 0x3000 && c <= 0x303F) ||
         (c >= 0xFF01 && c <= 0xFF65);
}

bool IsCjkStop(char32_t c) {
  return c == 0x3002 || c == 0xFF01 || c == 0xFF0E || c == 0xFF1F || c == 0xFF61;
}

bool IsPictograph(char32_t c) {
  static constexpr Range kPictographs[] = {
      {0xA9, 0xA9},       {0xAE, 0xAE},       {0x2122, 0x2122},   {0x2139, 0x2139},
      {0x2300, 0x23FF},   {0x2400, 0x245F},   {0x2500, 0x27BF},   {0x2800, 0x28FF},
      {0x2B00, 0x2BFF},   {0x3030, 0x3030},   {0x303D, 0x303D},   {0x3297, 0x3297},
      {0x3299, 0x3299},   {0xE000, 0xF8FF},   {0x1F000, 0x1F0FF}, {0x1F10D, 0x1F10F},
      {0x1F16C, 0x1F1FF}, {0x1F200, 0x1FAFF}, {0xF0000, 0x10FFFD}};
  return InRanges(kPictographs, c);
}

bool IsInvisible(char32_t c) {
  static constexpr Range kInvisible[] = {
      {0x00, 0x08},     {0x0B, 0x0B},      {0x0E, 0x1F},     {0x7F, 0x84},     {0x86, 0x9F},
      {0xAD, 0xAD},     {0x34F, 0x34F},    {0x61C, 0x61C},   {0x180B, 0x180E}, {0x200B, 0x200F},
      {0x202A, 0x202E}, {0x2060, 0x206F},  {0x20E3, 0x20E3}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},
      {0xFFF9, 0xFFFB}, {0xE0000, 0xE01EF}};
  return InRanges(kInvisible, c);
}

bool IsBlank(char32_t c) {
  return c == ' ' || c == '\t' || c == '\f' || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace sotto
