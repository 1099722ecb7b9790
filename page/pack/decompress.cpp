#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_WINDOWLOG_MAX
#include <zstd.h>

#include "page/pack/pack.h"

namespace tilescope::web {

std::optional<std::string> decompressed(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  // Both "unknown" and "error" are above any size.
  if (size > kMostUnpacked) return std::nullopt;
  std::string text(static_cast<size_t>(size), '\0');
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  // Packs are made with windows as large as they are.
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZSTD_WINDOWLOG_MAX);
  const size_t made =
      ZSTD_decompressDCtx(context, text.data(), text.size(), bytes.data(), bytes.size());
  ZSTD_freeDCtx(context);
  if (ZSTD_isError(made) != 0 || made != text.size()) return std::nullopt;
  return text;
}

}  // namespace tilescope::web
