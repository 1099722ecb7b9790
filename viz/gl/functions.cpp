#include "viz/gl/functions.h"

namespace tilescope::viz::gl {

const char* load(GetProc get_proc, Functions* functions) {
#define TILESCOPE_GL_LOAD(name, result, parameters)                               \
  functions->name = reinterpret_cast<result(*) parameters>(get_proc("gl" #name)); \
  if (functions->name == nullptr) return "gl" #name;
  TILESCOPE_GL_FUNCTIONS(TILESCOPE_GL_LOAD)
#undef TILESCOPE_GL_LOAD
  return nullptr;
}

}  // namespace tilescope::viz::gl
