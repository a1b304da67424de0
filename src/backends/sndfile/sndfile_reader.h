// Audio files through libsndfile: WAV, RF64, W64, AIFF, CAF, AU, FLAC, Ogg (Vorbis, Opus), MP3.
#ifndef SOTTO_BACKENDS_SNDFILE_SNDFILE_READER_H_
#define SOTTO_BACKENDS_SNDFILE_SNDFILE_READER_H_

#include <memory>

#include "audio/audio_file.h"

namespace sotto {

// Never null.
std::unique_ptr<AudioFileOpener> MakeSndfileOpener();

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_SNDFILE_READER_H_
