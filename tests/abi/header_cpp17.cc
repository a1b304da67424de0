// The wrapper, alone in a strict C++17 file.
#include <sotto/sotto.hpp>

[[maybe_unused]] const char* (*const header_cpp17_uses_it)() = sotto_version;
