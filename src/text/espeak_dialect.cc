#include "text/espeak_dialect.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "text/phones.h"
#include "text/utf8.h"

namespace sotto {
namespace {

void AppendIpa(char code, std::string& out) {
  switch (code) {
    case 'A':
      out += "e\u026A";
      return;
    case 'I':
      out += "a\u026A";
      return;
    case 'O':
      out += "o\u028A";
      return;
    case 'W':
      out += "a\u028A";
      return;
    case 'Y':
      out += "\u0254\u026A";
      return;
    case 'i':
    case 'u':
      out += code;
      out += "\u02D0";
      return;
    case 'a':
    case 'c':
    case '3':
      out += phones::ToMisaki(std::string_view(&code, 1));
      out += "\u02D0";
      return;
    case 'o':
      out += "o\u02D0";
      return;
    case 'e':
      out += 'i';
      return;
    case 'q':
      out += "\u0254";
      return;
    case 'R':
      out += "\u025A";
      return;
    case '=':
      out += "n\u0329";
      return;
    case 'C':
      out += "t\u0283";
      return;
    case 'J':
      out += "d\u0292";
      return;
    case '%':
      out += "\u0259";
      return;
    default:
      out += phones::ToMisaki(std::string_view(&code, 1));
  }
}

bool IsVowelLetter(char c) { return std::string_view("aeiouy").find(c) != std::string_view::npos; }

// The letters that usually write a consonant.
std::string_view LettersOf(char phone) {
  switch (phone) {
    case 'f':
      return "fpg";
    case 'j':
      return "yiu";
    case 'k':
      return "ckqx";
    case 's':
      return "scxz";
    case 't':
    case 'D':
      return "tdc";
    case 'v':
      return "vf";
    case 'w':
      return "wuo";
    case 'z':
      return "zsx";
    case 'g':
      return "gx";
    case 'G':
      return "n";
    case 'S':
      return "sctix";
    case 'Z':
      return "sgzj";
    case 'T':
    case 'H':
    case '?':
      return "t";
    case 'J':
      return "jgd";
    case 'C':
      return "ct";
    default:
      return {};
  }
}

struct Sound {
  char phone = 0;
  char stress = 0;  // '1', '2' or 0
  int letter = -1;  // index of the letter that writes it; -1: none does
};

// Which letter writes which sound: the cheapest monotone alignment.
class Aligner {
 public:
  Aligner(std::string_view letters, std::vector<Sound>& sounds)
      : letters_(letters), sounds_(sounds), width_(sounds.size() + 1) {}

  void Run() {
    const size_t rows = letters_.size() + 1;
    cost_.assign(rows * width_, kFar);
    from_.assign(rows * width_, 0);
    cost_[0] = 0;
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < width_; ++j) Step(i, j);
    }
    for (size_t i = letters_.size(), j = sounds_.size(); i > 0 || j > 0;) {
      const char step = from_[i * width_ + j];
      if (step == 'b') sounds_[j - 1].letter = static_cast<int>(i - 1);
      i -= step != 's';
      j -= step != 'l';
    }
  }

 private:
  static constexpr int kFar = 1 << 20;

  void Reach(size_t i, size_t j, int cost, char step) {
    if (cost >= cost_[i * width_ + j]) return;
    cost_[i * width_ + j] = cost;
    from_[i * width_ + j] = step;
  }

  void Step(size_t i, size_t j) {
    const int cost = cost_[i * width_ + j];
    if (i < letters_.size()) {
      const char c = letters_[i];
      const bool silent = IsVowelLetter(c) ||
                          std::string_view("hwgr'").find(c) != std::string_view::npos ||
                          (i > 0 && c == letters_[i - 1]);
      Reach(i + 1, j, cost + (silent ? 5 : 9), 'l');
    }
    if (j < sounds_.size()) Reach(i, j + 1, cost + 10, 's');
    if (i < letters_.size() && j < sounds_.size()) {
      Reach(i + 1, j + 1, cost + Mismatch(letters_[i], sounds_[j].phone), 'b');
    }
  }

  static int Mismatch(char letter, char phone) {
    if (phones::IsVowel(phone)) return IsVowelLetter(letter) ? 0 : letter == 'w' ? 8 : 20;
    if (letter == phone) return 0;
    return LettersOf(phone).find(letter) != std::string_view::npos ? 0 : 20;
  }

  std::string_view letters_;
  std::vector<Sound>& sounds_;
  size_t width_;
  std::vector<int> cost_;
  std::vector<char> from_;
};

// Rewrites the sounds of one word.
class Rewriter {
 public:
  Rewriter(std::string_view lower, std::string_view phones, Following following)
      : letters_(lower), following_(following) {
    char stress = 0;
    for (const char c : phones) {
      if (phones::IsStress(c)) {
        stress = c;
        continue;
      }
      sounds_.push_back({c, stress, -1});
      stress = 0;
    }
    constexpr size_t kLongest = 48;  // the alignment is quadratic
    if (letters_.size() <= kLongest && sounds_.size() <= kLongest) {
      Aligner(letters_, sounds_).Run();
    }
  }

  std::string Run() {
    for (i_ = 0; i_ < sounds_.size(); ++i_) Sounded();
    return EspeakIpa(out_);
  }

 private:
  char Phone(size_t i) const { return i < sounds_.size() ? sounds_[i].phone : '\0'; }
  bool VowelAt(size_t i) const {
    if (i >= sounds_.size()) return following_ == Following::kVowel;
    return phones::IsVowel(sounds_[i].phone);
  }
  char Letter(int ahead = 0) const {
    const int at = sounds_[i_].letter;
    if (at < 0 || at + ahead < 0 || static_cast<size_t>(at + ahead) >= letters_.size()) return '\0';
    return letters_[static_cast<size_t>(at + ahead)];
  }
  std::string_view Rest() const {  // the spelling after the letter
    const int at = sounds_[i_].letter;
    return at < 0 ? std::string_view() : letters_.substr(static_cast<size_t>(at) + 1);
  }
  std::string_view Head() const {  // the spelling up to the letter, with it
    const int at = sounds_[i_].letter;
    return at < 0 ? std::string_view() : letters_.substr(0, static_cast<size_t>(at) + 1);
  }
  bool IsFirstVowel() const {
    for (size_t k = 0; k < i_; ++k) {
      if (phones::IsVowel(sounds_[k].phone)) return false;
    }
    return true;
  }
  bool IsLastVowel() const {
    for (size_t k = i_ + 1; k < sounds_.size(); ++k) {
      if (phones::IsVowel(sounds_[k].phone)) return false;
    }
    return true;
  }

  void Put(std::string_view codes) {
    if (sounds_[i_].stress != 0) out_ += sounds_[i_].stress;
    out_ += codes;
  }

  void Sounded();
  void Schwa();
  void SchwaOfE();
  void SchwaOfI();
  void SchwaBeforeR();
  void SoundedI();
  void SoundedOpenO();
  void SoundedE();

  std::string_view letters_;
  Following following_;
  std::vector<Sound> sounds_;
  std::string out_;
  size_t i_ = 0;
};

void Rewriter::Sounded() {
  const Sound& sound = sounds_[i_];
  const char next = Phone(i_ + 1);
  switch (sound.phone) {
    case '@':
      return Schwa();
    case 'i':
      return SoundedI();
    case 'c':
      return SoundedOpenO();
    case 'E':
      return SoundedE();
    case '3':  // bird: the r is in the vowel, but is heard again before a vowel
      Put("3");
      if (next == 'r' && !VowelAt(i_ + 2)) ++i_;
      return;
    case 'y':
      if (Letter() == 'e' && sound.stress == 0) {
        if (Rest() == "ss" || Rest().starts_with("ssly")) return Put("@");  // -ness, -less
        const char after = Rest().empty() ? '\0' : Rest()[0];
        const char second = Rest().size() < 2 ? '\0' : Rest()[1];
        const bool opens =
            Head() == "e" && (after == 'x' || (after == 'n' && !IsVowelLetter(second)) ||
                              (after == 'm' && !IsVowelLetter(second)));
        if (opens) return Put("E");
      }
      return Put("y");
    case '%':
      if (!out_.empty() && out_.back() == '?' && next == 'n') {
        ++i_;
        return Put("=");
      }
      return Put("@");
    case 'n':
      if (!out_.empty() && out_.back() == '?') return Put("=");
      return Put("n");
    case 'j':
      if (Letter() == 'i' && next == '@') return Put("e");
      return Put("j");
    case 'U':
      return Put("U");
    default:
      Put(std::string_view(&sound.phone, 1));
  }
}

void Rewriter::Schwa() {
  const char next = Phone(i_ + 1);
  if (next == 'r') return SchwaBeforeR();
  if (next == 'w' && (Letter() == 'u' || Letter() == '\0') && VowelAt(i_ + 2) &&
      i_ + 2 < sounds_.size()) {  // "actual": one long vowel
    Put("u");
    ++i_;
    return;
  }
  const bool final = i_ + 1 == sounds_.size();
  switch (Letter()) {
    case 'e':
      return SchwaOfE();
    case 'i':
    case 'y':
      return SchwaOfI();
    case 'a':
      if (final || IsLastVowel() || next == 'l' || Rest().starts_with("ble") ||
          Rest().starts_with("bly") || Rest().starts_with("bil")) {
        return Put(Rest().starts_with("ge") || Rest().starts_with("ce") ? "y" : "@");
      }
      return Put("6");
    case 'u':
      if (i_ > 0 && Phone(i_ - 1) == 'j') return Put("U");
      return Put("@");
    default:
      return Put("@");
  }
}

void Rewriter::SchwaOfE() {
  const char next = Phone(i_ + 1);
  const std::string_view head = Head();
  const std::string_view rest = Rest();
  if (IsFirstVowel()) {
    if (head == "e") {
      if (next == 'l') return Put("#");
      return Put(next == 's' || next == 'p' || next == 'f' ? "E" : "y");
    }
    if (head == "pre" || (head == "de" && (next == 't' || next == 'v'))) return Put("y");
    return Put(next == 'n' && head != "re" && head != "de" && head != "be" ? "E" : "#");
  }
  if (rest == "d" || rest == "s") return Put("#");
  if (rest == "t" || rest == "ts") return Put("y");
  if (IsLastVowel()) return Put(next == 's' && rest.starts_with("st") ? "y" : "@");
  return Put(next == 'n' || next == 'l' ? "@" : "y");
}

void Rewriter::SchwaOfI() {
  const std::string_view rest = Rest();
  if (rest == "ly") return Put("e");
  if (rest.starts_with("ty") || rest.starts_with("tie") || rest.starts_with("fy") ||
      rest.starts_with("fie") || rest.starts_with("ble") || rest.starts_with("za")) {
    return Put("#");
  }
  return Put("y");
}

void Rewriter::SchwaBeforeR() {
  const bool vowel_after = VowelAt(i_ + 2);
  // "forego", "memory": o keeps its colour before the stress only.
  const bool open = Letter() == 'o' && Head().ends_with("fo") && Rest().starts_with("re");
  Put(open ? "o" : "R");
  if (open) return;
  if (!vowel_after) ++i_;  // the r is in the vowel
}

void Rewriter::SoundedI() {
  const Sound& sound = sounds_[i_];
  const bool final = i_ + 1 == sounds_.size();
  if (sound.stress == '1' || sound.stress == '2') {
    return Put("i");
  }
  if (final) return Put(Letter() == 'e' && Letter(-1) == 'e' ? "i" : "e");
  if (Letter() == 'y') return Put(VowelAt(i_ + 1) ? "e" : "y");
  if (VowelAt(i_ + 1)) {
    const char next = Letter(1);
    const bool weak = next == 'o' || (next == 'a' && Phone(i_ + 1) == 'A');
    return Put(weak ? "y" : "e");
  }
  if (Letter() == 'e' && IsFirstVowel()) {
    if (Head() == "re" || Head() == "de" || Head() == "be") return Put("#");
    if (Head() == "pre" || Head() == "e") return Put("y");
    return Put("i");
  }
  return Put("e");
}

void Rewriter::SoundedOpenO() {
  const char next = Phone(i_ + 1);
  const std::string_view rest = Rest();
  if (next == 'r') {
    const char after = rest.size() > 1 ? rest[1] : '\0';
    const bool fore = rest.starts_with("re") || rest.starts_with("or") || rest.starts_with("ar") ||
                      rest.starts_with("ur") || rest == "ry" || IsVowelLetter(after) ||
                      after == 'd' || after == 'c' || after == 'b' ||
                      (Letter(-1) == 'p' && after == 't');
    return Put(fore && Head() != "o" ? "o" : "c");
  }
  if (Letter() == 'a' && rest.starts_with("lt")) return Put("q");
  if (Letter() != 'o' || rest.starts_with("u")) return Put("c");
  return Put(next == 's' || next == 'f' || next == 'T' || next == 'G' ? "q" : "a");
}

// Before r, "carry" and "charity" keep the vowel of "cat".
void Rewriter::SoundedE() {
  const std::string_view rest = Rest();
  if (Phone(i_ + 1) == 'r' && Letter() == 'a' && rest.starts_with("r")) {
    const char after = rest.size() > 1 ? rest[1] : '\0';
    if (after == 'r' || after == 'a' || after == 'o') return Put("&");
  }
  if (Letter() == 'e' && (rest == "ss" || rest == "ssly") && sounds_[i_].stress == 0)
    return Put("@");
  return Put("E");
}

}  // namespace

std::string EspeakIpa(std::string_view codes) {
  std::string out;
  for (const char code : codes) AppendIpa(code, out);
  return out;
}

std::string EspeakWord(std::string_view lower, std::string_view phones, Following following) {
  return Rewriter(lower, phones, following).Run();
}

}  // namespace sotto
