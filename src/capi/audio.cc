#include "sotto/audio.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_file.h"
#include "audio/load.h"
#include "audio/wav_writer.h"
#include "backends/samplerate/samplerate_resampler.h"
#include "backends/sndfile/sndfile_reader.h"
#include "capi/guard.h"

using sotto::Status;
using sotto::capi::CheckRange;
using sotto::capi::Guard;

struct sotto_audio_clip {
  sotto::LoadedAudio audio;
};

struct sotto_audio_reader {
  std::unique_ptr<sotto::AudioReader> reader;
};

struct sotto_audio_writer {
  sotto::WavWriter writer;
  size_t channels;
  bool committed = false;
};

namespace sotto::capi {
namespace {

Status MakeReader(Result<std::unique_ptr<AudioReader>> opened, sotto_audio_reader** out_reader) {
  SOTTO_RETURN_IF_ERROR(opened.status());
  *out_reader = new sotto_audio_reader{*std::move(opened)};
  return OkStatus();
}

}  // namespace
}  // namespace sotto::capi

extern "C" {

sotto_status sotto_audio_clip_load(const char* path, uint32_t rate_hz,
                                   sotto_audio_clip** out_clip) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_clip_load", out_clip);
    *out_clip = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_clip_load", path);
    SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", rate_hz, 4000u, 384'000u));
    SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<sotto::AudioReader> reader,
                           sotto::MakeSndfileOpener()->Open(path, {}));
    sotto::LoadOptions options;
    options.rate_hz = static_cast<int32_t>(rate_hz);
    sotto::Result<sotto::LoadedAudio> audio =
        sotto::LoadMono(std::move(reader), &sotto::MakeSamplerateResampler, options, {});
    if (!audio.ok()) {
      const bool named = audio.status().message().find(path) != std::string::npos;
      return named ? audio.status() : audio.status().WithContext(path);
    }
    *out_clip = new sotto_audio_clip{*std::move(audio)};
    return sotto::OkStatus();
  });
}

sotto_status sotto_audio_clip_get(const sotto_audio_clip* clip, sotto_audio_clip_info* info) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_clip_get", clip);
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_clip_get", info);
    const sotto::LoadedAudio& audio = clip->audio;
    sotto_audio_clip_info out = {};
    out.rate_hz = static_cast<uint32_t>(audio.rate_hz);
    out.num_samples = audio.samples.size();
    out.samples = audio.samples.data();
    out.source_rate_hz = static_cast<uint32_t>(audio.report.source_rate_hz);
    out.source_channels = static_cast<uint32_t>(audio.report.source_channels);
    out.truncated = audio.report.truncated ? 1 : 0;
    out.clipped_samples = static_cast<uint64_t>(audio.report.clipped_samples);
    out.non_finite_samples = static_cast<uint64_t>(audio.report.non_finite_samples);
    return sotto::capi::WriteEvent(out, info);
  });
}

void sotto_audio_clip_release(sotto_audio_clip* clip) { delete clip; }

sotto_status sotto_audio_reader_open(const char* path, sotto_audio_reader** out_reader) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_open", out_reader);
    *out_reader = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_open", path);
    return sotto::capi::MakeReader(sotto::MakeSndfileOpener()->Open(path, {}), out_reader);
  });
}

sotto_status sotto_audio_reader_open_memory(const void* data, size_t num_bytes, const char* name,
                                            sotto_audio_reader** out_reader) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_open_memory", out_reader);
    *out_reader = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_open_memory", data);
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_open_memory", name);
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckBytes(num_bytes));
    return sotto::capi::MakeReader(
        sotto::MakeSndfileOpener()->OpenMemory(
            name, std::string(static_cast<const char*>(data), num_bytes)),
        out_reader);
  });
}

sotto_status sotto_audio_reader_info(sotto_audio_reader* reader, sotto_audio_info* info) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_info", reader);
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_info", info);
    const sotto::AudioFileInfo& file = reader->reader->info();
    sotto_audio_info out = {};
    out.rate_hz = static_cast<uint32_t>(file.rate_hz);
    out.channels = static_cast<uint32_t>(file.channels);
    out.truncated = reader->reader->truncated() ? 1 : 0;
    out.num_frames = static_cast<uint64_t>(std::max<int64_t>(file.frames, 0));
    return sotto::capi::WriteEvent(out, info);
  });
}

sotto_status sotto_audio_reader_read(sotto_audio_reader* reader, float* out_samples,
                                     size_t max_frames, size_t* out_num_frames) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_read", reader);
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_read", out_samples);
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_reader_read", out_num_frames);
    const auto channels = static_cast<size_t>(reader->reader->info().channels);
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckFrames(max_frames, channels));
    SOTTO_ASSIGN_OR_RETURN(const size_t num_frames,
                           reader->reader->Read({out_samples, max_frames * channels}));
    *out_num_frames = num_frames;
    return sotto::OkStatus();
  });
}

void sotto_audio_reader_release(sotto_audio_reader* reader) { delete reader; }

sotto_status sotto_audio_writer_create(const char* path, uint32_t rate_hz, uint32_t channels,
                                       sotto_audio_writer** out_writer) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_writer_create", out_writer);
    *out_writer = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_writer_create", path);
    SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", rate_hz, 4000u, 384'000u));
    SOTTO_RETURN_IF_ERROR(CheckRange("channels", channels, 1u, 64u));
    SOTTO_ASSIGN_OR_RETURN(
        sotto::WavWriter writer,
        sotto::WavWriter::Create(path, {.rate_hz = static_cast<int32_t>(rate_hz),
                                        .channels = static_cast<int32_t>(channels)}));
    *out_writer = new sotto_audio_writer{std::move(writer), channels};
    return sotto::OkStatus();
  });
}

sotto_status sotto_audio_writer_write(sotto_audio_writer* writer, const float* samples,
                                      size_t num_frames) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_writer_write", writer);
    if (num_frames == 0) {
      return sotto::OkStatus();
    }
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_writer_write", samples);
    if (writer->committed) {
      return sotto::FailedPreconditionError("audio: the file was committed already");
    }
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckFrames(num_frames, writer->channels));
    return writer->writer.Write({samples, num_frames * writer->channels});
  });
}

sotto_status sotto_audio_writer_commit(sotto_audio_writer* writer) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_audio_writer_commit", writer);
    if (writer->committed) {
      return sotto::FailedPreconditionError("audio: the file was committed already");
    }
    writer->committed = true;
    return writer->writer.Finish();
  });
}

void sotto_audio_writer_release(sotto_audio_writer* writer) { delete writer; }

}  // extern "C"
