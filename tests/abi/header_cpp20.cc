// The wrapper, alone in a strict C++20 file.
#include <sotto/sotto.hpp>

[[maybe_unused]] const char* (*const header_cpp20_uses_it)() = sotto_version;
