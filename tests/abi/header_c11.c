// The whole C ABI, alone in a strict C11 file.
#include <sotto/sotto.h>

const char* (*const header_c11_uses_it)(void) = sotto_version;
