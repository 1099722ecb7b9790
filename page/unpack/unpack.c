// What the page's other modules are unpacked with, before any of them is there: zstd's decoder and
// nothing else.
#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_WINDOWLOG_MAX
#include <emscripten.h>
#include <zstd.h>

/// Bytes that it unpacks to; 0 if that is not said, or it is damaged.
EMSCRIPTEN_KEEPALIVE size_t tilescope_unpacked_size(const void* bytes, size_t size) {
  const unsigned long long unpacked = ZSTD_getFrameContentSize(bytes, size);
  return unpacked > 0x40000000ull ? 0 : (size_t)unpacked;
}

/// 0 if it is damaged.
EMSCRIPTEN_KEEPALIVE size_t tilescope_unpack(void* to, size_t room, const void* bytes, size_t size) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZSTD_WINDOWLOG_MAX);
  const size_t made = ZSTD_decompressDCtx(context, to, room, bytes, size);
  ZSTD_freeDCtx(context);
  return ZSTD_isError(made) ? 0 : made;
}
