#include <zstd.h>

#include <stdexcept>

#include "page/pack/pack.h"

namespace tilescope::web {

std::string compressed(std::string_view text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZSTD_maxCLevel());
  ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const size_t made = ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(made) != 0) throw std::runtime_error(ZSTD_getErrorName(made));
  bytes.resize(made);
  return bytes;
}

}  // namespace tilescope::web
