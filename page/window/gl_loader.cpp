#include "app/kit/gl_loader.h"

// emscripten's own; its header is of other things, too.
extern "C" void* emscripten_GetProcAddress(const char* name);

namespace tilescope {

viz::gl::GetProc gl_loader() {
  return [](const char* name) {
    return reinterpret_cast<void (*)()>(emscripten_GetProcAddress(name));
  };
}
viz::gl::Dialect gl_dialect() { return viz::gl::Dialect::gles300; }

}  // namespace tilescope
