sotto_fuzz(text_utf8 SOURCES text_utf8.cc DEPS text)
sotto_fuzz(text_chunker SOURCES text_chunker.cc DEPS text)
sotto_fuzz(text_filter SOURCES text_filter.cc DEPS text)
sotto_fuzz(text_normalizer SOURCES text_normalizer.cc DEPS text)
