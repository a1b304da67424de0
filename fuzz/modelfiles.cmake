# Parsers of model files and of the sources of converters.
if(TARGET sotto::modelfiles)
  sotto_fuzz(modelfiles_gguf_fuzz SOURCES modelfiles_gguf_fuzz.cc DEPS modelfiles)
  sotto_fuzz(modelfiles_onnx_fuzz SOURCES modelfiles_onnx_fuzz.cc DEPS modelfiles)
  sotto_fuzz(modelfiles_whisper_fuzz SOURCES modelfiles_whisper_fuzz.cc DEPS modelfiles
    PRIVATE_DEPS sotto_modelfiles_testing)
endif()
if(TARGET sotto::convert)
  sotto_fuzz(modelfiles_ct2_fuzz SOURCES modelfiles_ct2_fuzz.cc DEPS convert)
  sotto_fuzz(modelfiles_safetensors_fuzz SOURCES modelfiles_safetensors_fuzz.cc DEPS convert)
  sotto_fuzz(modelfiles_torch_fuzz SOURCES modelfiles_torch_fuzz.cc DEPS convert)
endif()
