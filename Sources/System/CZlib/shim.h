// zlib for Swift. Macros that Swift cannot import become static inline functions here; there is no logic.
#pragma once
#include <zlib.h>

static inline int associated_deflateInit2(z_stream *stream, int level, int windowBits, int memLevel) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, memLevel, Z_DEFAULT_STRATEGY);
}

static inline int associated_inflateInit2(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}
