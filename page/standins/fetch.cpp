#include "page/standins/fetch.h"

#include <emscripten.h>

#include <cstdint>
#include <cstdlib>

#include "worker/engine/error.h"

// The bytes, in memory that the caller frees, with their number in `size`; 0 if there is no such
// file, 1 if it could not be had.
EM_JS(char*, tilescope_fetch, (const char* path, size_t* size), {
  let bytes = null;
  try {
    bytes = Module['fetchBytes'](UTF8ToString(path));
  } catch (error) {
    console.warn(String(error));
    return 1;
  }
  if (!bytes) return 0;
  const at = _malloc(bytes.length || 1);
  HEAPU8.set(bytes, at);
  HEAPU32[size >> 2] = bytes.length;
  return at;
});

namespace tilescope::web {

std::optional<std::string> fetch(const std::string& path) {
  size_t size = 0;
  char* const bytes = tilescope_fetch(path.c_str(), &size);
  if (!bytes) return std::nullopt;
  if (reinterpret_cast<uintptr_t>(bytes) == 1) {
    worker::fail(worker::kFailed, path +
                                      " could not be fetched; try again when the page's server "
                                      "can be reached.");
  }
  std::string text(bytes, size);
  std::free(bytes);
  return text;
}

}  // namespace tilescope::web
