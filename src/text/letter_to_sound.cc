#include "text/letter_to_sound.h"

#include <algorithm>
#include <map>

#include "text/utf8.h"

namespace sotto {
namespace text_data {  // generated from data/en_us_lts.bin
extern const unsigned char kEnglishLtsModel[];
extern const size_t kEnglishLtsModelBytes;
}  // namespace text_data

namespace {

constexpr size_t kMaxLetters = 64;
constexpr size_t kBeam = 10;
constexpr size_t kNone = static_cast<size_t>(-1);
constexpr int32_t kBackoffBias = 64;

uint16_t U16(std::string_view bytes, size_t index) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data()) + index * 2;
  return static_cast<uint16_t>(at[0] | (at[1] << 8));
}

uint32_t U32(std::string_view bytes, size_t index) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data()) + index * 4;
  return static_cast<uint32_t>(at[0]) | (static_cast<uint32_t>(at[1]) << 8) |
         (static_cast<uint32_t>(at[2]) << 16) | (static_cast<uint32_t>(at[3]) << 24);
}

int32_t U8(std::string_view bytes, size_t index) { return static_cast<uint8_t>(bytes[index]); }

// Cuts pieces off the front of a blob; `ok` turns false at the first that is too long.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  std::string_view Take(size_t bytes) {
    ok = ok && bytes <= rest.size();
    if (!ok) return {};
    const std::string_view piece = rest.substr(0, bytes);
    rest.remove_prefix(bytes);
    return piece;
  }
};

Status Malformed(std::string_view what) {
  return DataLossError("letter-to-sound model: " + std::string(what) + "; train it again");
}

}  // namespace

Status LetterToSound::Parse(std::string_view blob) {
  Cursor cursor{blob};
  const std::string_view header = cursor.Take(8);
  if (!cursor.ok || header.substr(0, 4) != "SLT1") return Malformed("no header");
  const size_t pair_count = U16(header, 2);
  const auto order = static_cast<size_t>(U8(header, 6));
  if (pair_count < 3 || order < 2 || order > kMaxOrder) return Malformed("bad sizes");
  for (size_t i = 0; i < pair_count; ++i) {
    const std::string_view pair = cursor.Take(6);
    if (!cursor.ok || U8(pair, 1) > 4) return Malformed("bad pair");
    pairs_.push_back({pair[0], pair.substr(2, static_cast<size_t>(U8(pair, 1)))});
    const bool letter = i > 1 && pair[0] >= 'a' && pair[0] <= 'z';
    if (letter) by_letter_[pair[0] - 'a'].push_back(static_cast<uint16_t>(i));
  }
  for (size_t n = 1; n <= order; ++n) {
    const std::string_view count = cursor.Take(4);
    if (!cursor.ok) return Malformed("truncated");
    Level level;
    level.count = U32(count, 0);
    if (level.count > blob.size()) return Malformed("bad count");
    level.pairs = cursor.Take(level.count * 2);
    level.costs = cursor.Take(level.count);
    if (n < order) {
      level.backoffs = cursor.Take(level.count);
      level.children = cursor.Take((level.count + 1) * 4);
    }
    if (!cursor.ok) return Malformed("truncated");
    levels_.push_back(level);
  }
  return cursor.rest.empty() ? OkStatus() : Malformed("trailing bytes");
}

// Every index that decoding follows is within its level.
Status LetterToSound::Validate() const {
  if (levels_[0].count != pairs_.size()) return Malformed("bad first level");
  for (size_t n = 0; n < levels_.size(); ++n) {
    for (size_t i = 0; i < levels_[n].count; ++i) {
      if (U16(levels_[n].pairs, i) >= pairs_.size()) return Malformed("bad index");
      if (n == 0 && U16(levels_[n].pairs, i) != i) return Malformed("bad first level");
    }
    if (n + 1 == levels_.size()) break;
    uint32_t last = 0;
    for (size_t i = 0; i <= levels_[n].count; ++i) {
      const uint32_t child = U32(levels_[n].children, i);
      if (child < last || child > levels_[n + 1].count) return Malformed("bad child");
      last = child;
    }
  }
  for (const std::vector<uint16_t>& letter : by_letter_) {
    if (letter.empty()) return Malformed("a letter without a sound");
  }
  return OkStatus();
}

Result<LetterToSound> LetterToSound::FromBlob(std::string_view blob) {
  LetterToSound model;
  SOTTO_RETURN_IF_ERROR(model.Parse(blob));
  SOTTO_RETURN_IF_ERROR(model.Validate());
  return model;
}

// The entry of level + 1 below `entry` that holds `pair`.
size_t LetterToSound::Child(size_t level, size_t entry, uint32_t pair) const {
  size_t low = U32(levels_[level].children, entry);
  size_t high = U32(levels_[level].children, entry + 1);
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const uint32_t value = U16(levels_[level + 1].pairs, middle);
    if (value == pair) return middle;
    if (value < pair) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return kNone;
}

int32_t LetterToSound::Cost(const std::vector<uint16_t>& history, uint32_t pair) const {
  int32_t cost = 0;
  const size_t longest = std::min(history.size(), levels_.size() - 1);
  for (size_t n = longest; n > 0; --n) {
    size_t entry = history[history.size() - n];
    for (size_t k = 1; k < n && entry != kNone; ++k) {
      entry = Child(k - 1, entry, history[history.size() - n + k]);
    }
    if (entry == kNone) continue;
    const size_t found = Child(n - 1, entry, pair);
    if (found != kNone) return cost + U8(levels_[n].costs, found);
    cost += U8(levels_[n - 1].backoffs, entry) - kBackoffBias;
  }
  return cost + U8(levels_[0].costs, pair);
}

std::string LetterToSound::Pronounce(std::string_view word) const {
  struct State {
    std::vector<uint16_t> path;
    int32_t cost = 0;
  };
  const size_t context = levels_.size() - 1;
  std::vector<State> states = {{std::vector<uint16_t>(context, 0), 0}};
  size_t letters = 0;
  for (const char raw : word) {
    const char letter = AsciiLower(raw);
    if (letter < 'a' || letter > 'z' || letters == kMaxLetters) continue;
    ++letters;
    std::map<std::vector<uint16_t>, State> grown;  // by what later costs depend on
    for (const State& state : states) {
      for (const uint16_t pair : by_letter_[letter - 'a']) {
        const int32_t cost = state.cost + Cost(state.path, pair);
        std::vector<uint16_t> key(state.path.end() - static_cast<ptrdiff_t>(context) + 1,
                                  state.path.end());
        key.push_back(pair);
        auto [it, is_new] = grown.try_emplace(std::move(key));
        if (!is_new && it->second.cost <= cost) continue;
        it->second.path = state.path;
        it->second.path.push_back(pair);
        it->second.cost = cost;
      }
    }
    states.clear();
    for (auto& [key, state] : grown) states.push_back(std::move(state));
    std::stable_sort(states.begin(), states.end(),
                     [](const State& a, const State& b) { return a.cost < b.cost; });
    if (states.size() > kBeam) states.resize(kBeam);
  }
  if (letters == 0) return {};
  constexpr uint32_t kEnd = 1;
  const State* best = nullptr;
  int32_t best_cost = 0;
  for (const State& state : states) {
    const int32_t cost = state.cost + Cost(state.path, kEnd);
    if (best != nullptr && cost >= best_cost) continue;
    best = &state;
    best_cost = cost;
  }
  std::string phones;
  for (size_t i = context; i < best->path.size(); ++i) phones += pairs_[best->path[i]].phones;
  return phones;
}

const Result<LetterToSound>& EnglishLetterToSound() {
  static const Result<LetterToSound> model =
      LetterToSound::FromBlob({reinterpret_cast<const char*>(text_data::kEnglishLtsModel),
                               text_data::kEnglishLtsModelBytes});
  return model;
}

}  // namespace sotto
