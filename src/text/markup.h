// Marks of XML and HTML in text to be spoken: what is a tag, what an entity stands for, and whole
// texts without them. Pure; any thread.
#ifndef SOTTO_TEXT_MARKUP_H_
#define SOTTO_TEXT_MARKUP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

inline constexpr size_t kMaxTagBytes = 256;  // of a tag with its brackets

enum class TagKind : int32_t {
  kNone = 0,  // no tag: a type, a placeholder, a comparison
  kInline,    // <b>: the words on both sides are one word
  kSpace,     // <voice>: the words on both sides are two
  kPause,     // <br>, <break/>, a cell of a table
  kBlock,     // <p>: a sentence ends
};

// `tag` is what stands between "<" and ">". A tag is a known name of HTML, SVG or SSML, an end tag,
// an empty element ("x/"), a name with quoted attributes, a declaration, or a mark of a model
// ("|end|").
TagKind ClassifyTag(std::string_view tag);

// The entity at the front of `text`: "&amp;", "&#39;", "&#x27;".
struct Entity {
  size_t bytes = 0;      // 0: there is none
  char32_t value = 0;    // U+FFFD if the number is no character
  bool partial = false;  // there is none yet, but more text could make one
};
Entity ParseEntity(std::string_view text);

// `text` without tags and comments, entities resolved. A name in angle brackets of a kind that is
// not known is a tag if its end tag follows somewhere. Linear time.
std::string StripMarkup(std::string_view text);

}  // namespace sotto

#endif  // SOTTO_TEXT_MARKUP_H_
