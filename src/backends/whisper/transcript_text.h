// From the bytes a recogniser writes to text that was said.
#ifndef SOTTO_BACKENDS_WHISPER_TRANSCRIPT_TEXT_H_
#define SOTTO_BACKENDS_WHISPER_TRANSCRIPT_TEXT_H_

#include <string>
#include <string_view>

namespace sotto::whisper {

// `bytes` as valid UTF-8 without remarks about sound ("[BLANK_AUDIO]", "(music)", "*coughs*", note
// signs), runs of white space as one space, none at the ends. Empty if no letter or digit is left.
// A remark that is not closed reaches to the end.
std::string CleanTranscript(std::string_view bytes);

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_TRANSCRIPT_TEXT_H_
