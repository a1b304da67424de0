#include "text/markup.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "text/utf8.h"

namespace sotto {
namespace {

constexpr size_t kMaxEntityBytes = 12;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return IsAsciiAlpha(static_cast<unsigned char>(c)); }
bool IsBlankByte(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
// Of the name of an element or an attribute.
bool IsNameByte(char c) {
  return IsAlpha(c) || IsDigit(c) || c == '-' || c == '_' || c == ':' || c == '.' ||
         (static_cast<uint8_t>(c) & 0x80) != 0;
}

struct NamedEntity {
  std::string_view name;  // between & and ;
  char32_t value;
};
constexpr NamedEntity kEntities[] = {
    {"amp", '&'},      {"lt", '<'},       {"gt", '>'},        {"quot", '"'},      {"apos", '\''},
    {"nbsp", 0xA0},    {"mdash", 0x2014}, {"ndash", 0x2013},  {"hellip", 0x2026}, {"lsquo", 0x2018},
    {"rsquo", 0x2019}, {"ldquo", 0x201C}, {"rdquo", 0x201D},  {"laquo", 0xAB},    {"raquo", 0xBB},
    {"copy", 0xA9},    {"reg", 0xAE},     {"trade", 0x2122},  {"deg", 0xB0},      {"plusmn", 0xB1},
    {"times", 0xD7},   {"divide", 0xF7},  {"minus", 0x2212},  {"sup2", 0xB2},     {"sup3", 0xB3},
    {"frac12", 0xBD},  {"frac14", 0xBC},  {"frac34", 0xBE},   {"euro", 0x20AC},   {"pound", 0xA3},
    {"cent", 0xA2},    {"yen", 0xA5},     {"sect", 0xA7},     {"micro", 0xB5},    {"middot", 0xB7},
    {"bull", 0x2022},  {"ne", 0x2260},    {"le", 0x2264},     {"ge", 0x2265},     {"rarr", 0x2192},
    {"ensp", 0x2002},  {"emsp", 0x2003},  {"thinsp", 0x2009}, {"shy", 0xAD},      {"aacute", 0xE1},
    {"eacute", 0xE9},  {"iacute", 0xED},  {"oacute", 0xF3},   {"uacute", 0xFA},   {"agrave", 0xE0},
    {"egrave", 0xE8},  {"ccedil", 0xE7},  {"ntilde", 0xF1},   {"auml", 0xE4},     {"ouml", 0xF6},
    {"uuml", 0xFC},    {"szlig", 0xDF},   {"ecirc", 0xEA}};

// Tags that begin or end a block, so that a voice pauses at them.
constexpr std::string_view kBlockTags[] = {"p",  "div", "li", "ul", "ol", "tr", "table",     "hr",
                                           "h1", "h2",  "h3", "h4", "h5", "h6", "blockquote"};

// Names of elements of HTML and SVG that occur in text, and marks of models that are left over.
constexpr std::string_view kInlineTags[] = {"a",
                                            "abbr",
                                            "address",
                                            "article",
                                            "aside",
                                            "audio",
                                            "b",
                                            "big",
                                            "body",
                                            "button",
                                            "canvas",
                                            "caption",
                                            "center",
                                            "cite",
                                            "code",
                                            "col",
                                            "colgroup",
                                            "dd",
                                            "del",
                                            "details",
                                            "dfn",
                                            "dl",
                                            "dt",
                                            "em",
                                            "figure",
                                            "figcaption",
                                            "font",
                                            "footer",
                                            "form",
                                            "head",
                                            "header",
                                            "html",
                                            "i",
                                            "iframe",
                                            "img",
                                            "input",
                                            "ins",
                                            "kbd",
                                            "label",
                                            "legend",
                                            "link",
                                            "main",
                                            "mark",
                                            "meta",
                                            "nav",
                                            "option",
                                            "pre",
                                            "q",
                                            "samp",
                                            "script",
                                            "section",
                                            "select",
                                            "small",
                                            "source",
                                            "span",
                                            "strike",
                                            "strong",
                                            "style",
                                            "sub",
                                            "summary",
                                            "sup",
                                            "svg",
                                            "tbody",
                                            "template",
                                            "textarea",
                                            "tfoot",
                                            "thead",
                                            "time",
                                            "title",
                                            "tt",
                                            "u",
                                            "var",
                                            "video",
                                            "wbr",
                                            "path",
                                            "think",
                                            "thinking",
                                            "tool_call",
                                            "tool_response",
                                            "tools",
                                            "answer",
                                            "response",
                                            "output",
                                            "final"};

// Elements of SSML 1.1, and <s>, which is a sentence there and struck-out text in HTML.
constexpr std::string_view kSpeechTags[] = {"speak",  "voice", "prosody", "emphasis", "phoneme",
                                            "say-as", "s",     "w",       "token",    "lexicon",
                                            "lookup", "lang",  "desc",    "metadata"};

template <size_t N>
bool Contains(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

size_t NameBytes(std::string_view text) {
  if (text.empty() || !IsAlpha(text[0])) return 0;
  size_t n = 1;
  while (n < text.size() && IsNameByte(text[n])) ++n;
  return n;
}

void SkipBlank(std::string_view& text) {
  while (!text.empty() && IsBlankByte(text[0])) text.remove_prefix(1);
}

// One or more of name="value", and nothing else.
bool AreAttributes(std::string_view text) {
  size_t count = 0;
  for (SkipBlank(text); !text.empty(); SkipBlank(text)) {
    const size_t name = NameBytes(text);
    text.remove_prefix(name);
    SkipBlank(text);
    if (name == 0 || !text.starts_with('=')) return false;
    text.remove_prefix(1);
    SkipBlank(text);
    if (text.empty() || (text[0] != '"' && text[0] != '\'')) return false;
    const size_t close = text.find(text[0], 1);
    if (close == std::string_view::npos) return false;
    text.remove_prefix(close + 1);
    ++count;
  }
  return count > 0;
}

// "&#39" or "&#x27" at the front of `text`.
Entity ParseNumericEntity(std::string_view text) {
  const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  const size_t begin = hex ? 3 : 2;
  size_t at = begin;
  char32_t value = 0;
  for (; at < text.size() && at < kMaxEntityBytes; ++at) {
    const char c = AsciiLower(text[at]);
    const bool letter = hex && c >= 'a' && c <= 'f';
    if (!IsDigit(c) && !letter) break;
    const auto digit = static_cast<char32_t>(letter ? c - 'a' + 10 : c - '0');
    value = std::min<char32_t>(value * (hex ? 16 : 10) + digit, 0x110000);
  }
  Entity entity;
  entity.partial = at == text.size() && at < kMaxEntityBytes;
  if (at == begin || at >= text.size() || text[at] != ';') return entity;
  const bool character = value >= 0x20 && value <= 0x10FFFF && !(value >= 0xD800 && value < 0xE000);
  entity.bytes = at + 1;
  entity.value = value == '\t' || value == '\n' || value == '\r' ? U' '
                 : character                                     ? value
                                                                 : kReplacementCharacter;
  return entity;
}

// The names of all end tags, sorted.
std::vector<std::string_view> EndTags(std::string_view text) {
  std::vector<std::string_view> names;
  for (size_t at = text.find("</"); at != std::string_view::npos; at = text.find("</", at + 2)) {
    const size_t name = NameBytes(text.substr(at + 2, kMaxTagBytes));
    if (name > 0 && at + 2 + name < text.size() && text[at + 2 + name] == '>') {
      names.push_back(text.substr(at + 2, name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void AppendTag(TagKind kind, std::string& out) {
  if (kind == TagKind::kSpace) out += ' ';
  if (kind == TagKind::kPause) out += " , ";
  if (kind == TagKind::kBlock) out += " . ";
}

}  // namespace

TagKind ClassifyTag(std::string_view tag) {
  if (tag.empty()) return TagKind::kNone;
  if (tag[0] == '|' || tag.back() == '|' || tag[0] == '?') return TagKind::kInline;
  if (tag.starts_with("!DOCTYPE") || tag.starts_with("!doctype")) return TagKind::kInline;
  const bool closing = tag[0] == '/';
  if (closing) tag.remove_prefix(1);
  const size_t bytes = NameBytes(tag);
  if (bytes == 0) return closing && tag.empty() ? TagKind::kInline : TagKind::kNone;
  const std::string_view exact = tag.substr(0, bytes);
  const std::string name = AsciiLower(exact);
  if (name == "br" || name == "break" || name == "td" || name == "th") return TagKind::kPause;
  if (Contains(kBlockTags, name)) return TagKind::kBlock;
  if (Contains(kInlineTags, name)) return TagKind::kInline;
  if (Contains(kSpeechTags, exact)) return TagKind::kSpace;
  std::string_view rest = tag.substr(bytes);
  const bool empty = rest.ends_with('/');
  if (empty) rest.remove_suffix(1);
  SkipBlank(rest);
  const bool formed = rest.empty() ? empty || closing : AreAttributes(rest) || closing;
  return formed || empty ? TagKind::kSpace : TagKind::kNone;
}

Entity ParseEntity(std::string_view text) {
  if (text.empty() || text[0] != '&') return {};
  if (text.size() > 1 && text[1] == '#') return ParseNumericEntity(text);
  Entity entity;
  text.remove_prefix(1);
  for (const NamedEntity& named : kEntities) {
    const std::string_view name = named.name;
    if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == ';') {
      return {name.size() + 2, named.value, false};
    }
    entity.partial = entity.partial || name.starts_with(text);
  }
  return entity;
}

std::string StripMarkup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const std::vector<std::string_view> ends = EndTags(text);
  bool comments = true;  // an end of a comment may follow
  for (size_t i = 0; i < text.size();) {
    const size_t next = std::min(text.find_first_of("<&", i), text.size());
    out += text.substr(i, next - i);
    i = next;
    if (i == text.size()) break;
    const std::string_view rest = text.substr(i);
    if (rest[0] == '&') {
      const Entity entity = ParseEntity(rest);
      entity.bytes > 0 ? AppendUtf8(entity.value, out) : static_cast<void>(out += '&');
      i += std::max<size_t>(entity.bytes, 1);
      continue;
    }
    if (comments && rest.starts_with("<!--")) {
      const size_t close = rest.find("-->", 4);
      comments = close != std::string_view::npos;
      if (comments) {
        i += close + 3;
        continue;
      }
    }
    const size_t close = rest.substr(0, kMaxTagBytes).find_first_of("<>", 1);
    const bool closed = close != std::string_view::npos && rest[close] == '>';
    const std::string_view tag = closed ? rest.substr(1, close - 1) : std::string_view();
    TagKind kind = ClassifyTag(tag);
    const bool ended = std::binary_search(ends.begin(), ends.end(), tag);
    if (kind == TagKind::kNone && ended) kind = TagKind::kSpace;
    if (kind == TagKind::kNone) {
      out += '<';
      ++i;
      continue;
    }
    AppendTag(kind, out);
    i += tag.size() + 2;
  }
  return out;
}

}  // namespace sotto
