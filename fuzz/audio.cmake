sotto_fuzz(audio_probe_fuzz SOURCES audio_probe_fuzz.cc DEPS backends/sndfile)
sotto_fuzz(audio_resampler_fuzz SOURCES audio_resampler_fuzz.cc DEPS backends/samplerate)
sotto_fuzz(audio_onnx_fuzz SOURCES audio_onnx_fuzz.cc DEPS backends/gates)
