#include "text/letter_to_sound.h"

#include <algorithm>

#include "text/utf8.h"

namespace sotto {
namespace text_data {  // generated from data/en_us_lts.bin
extern const unsigned char kEnglishLtsModel[];
extern const size_t kEnglishLtsModelBytes;
}  // namespace text_data

namespace {

constexpr size_t kMaxLetters = 64;
constexpr size_t kBeam = 10;
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

// Where the last n pairs of a history stand in the trie, for every n.
LetterToSound::Contexts LetterToSound::Find(const History& history) const {
  Contexts contexts;
  const size_t longest = levels_.size() - 1;
  for (size_t n = 1; n <= longest; ++n) {
    size_t entry = history[longest - n];
    for (size_t k = 1; k < n && entry != kNone; ++k) {
      entry = Child(k - 1, entry, history[longest - n + k]);
    }
    contexts[n] = entry;
  }
  return contexts;
}

int32_t LetterToSound::Cost(const Contexts& contexts, uint32_t pair) const {
  int32_t cost = 0;
  for (size_t n = levels_.size() - 1; n > 0; --n) {
    if (contexts[n] == kNone) continue;
    const size_t found = Child(n - 1, contexts[n], pair);
    if (found != kNone) return cost + U8(levels_[n].costs, found);
    cost += U8(levels_[n - 1].backoffs, contexts[n]) - kBackoffBias;
  }
  return cost + U8(levels_[0].costs, pair);
}

// Adds what `letter` may sound like to every state, and keeps the best of each history.
void LetterToSound::Advance(char letter, std::vector<Step>& steps,
                            std::vector<State>& states) const {
  const size_t context = levels_.size() - 1;
  std::vector<State> grown;
  for (const State& state : states) {
    const Contexts contexts = Find(state.history);
    for (const uint16_t pair : by_letter_[letter - 'a']) {
      State next;
      std::copy(state.history.begin() + 1, state.history.begin() + static_cast<ptrdiff_t>(context),
                next.history.begin());
      next.history[context - 1] = pair;
      next.cost = state.cost + Cost(contexts, pair);
      next.last_step = state.last_step;
      grown.push_back(next);
    }
  }
  std::sort(grown.begin(), grown.end(), [](const State& a, const State& b) {
    return a.history != b.history ? a.history < b.history : a.cost < b.cost;
  });
  grown.erase(std::unique(grown.begin(), grown.end(),
                          [](const State& a, const State& b) { return a.history == b.history; }),
              grown.end());
  std::stable_sort(grown.begin(), grown.end(),
                   [](const State& a, const State& b) { return a.cost < b.cost; });
  if (grown.size() > kBeam) grown.resize(kBeam);
  for (State& state : grown) {
    steps.push_back({state.history[context - 1], state.last_step});
    state.last_step = static_cast<int32_t>(steps.size()) - 1;
  }
  states = std::move(grown);
}

std::string LetterToSound::Pronounce(std::string_view word) const {
  std::vector<Step> steps;  // the paths of all states, as trees
  std::vector<State> states(1);
  size_t letters = 0;
  for (const char raw : word) {
    const char letter = AsciiLower(raw);
    if (letter < 'a' || letter > 'z' || letters == kMaxLetters) continue;
    ++letters;
    Advance(letter, steps, states);
  }
  if (letters == 0) return {};
  constexpr uint32_t kEnd = 1;
  const State* best = nullptr;
  int32_t best_cost = 0;
  for (const State& state : states) {
    const int32_t cost = state.cost + Cost(Find(state.history), kEnd);
    if (best != nullptr && cost >= best_cost) continue;
    best = &state;
    best_cost = cost;
  }
  std::vector<uint16_t> path;
  for (int32_t step = best->last_step; step >= 0; step = steps[static_cast<size_t>(step)].before) {
    path.push_back(steps[static_cast<size_t>(step)].pair);
  }
  std::string phones;
  for (auto pair = path.rbegin(); pair != path.rend(); ++pair) phones += pairs_[*pair].phones;
  return phones;
}

const Result<LetterToSound>& EnglishLetterToSound() {
  static const Result<LetterToSound> model =
      LetterToSound::FromBlob({reinterpret_cast<const char*>(text_data::kEnglishLtsModel),
                               text_data::kEnglishLtsModelBytes});
  return model;
}

}  // namespace sotto
