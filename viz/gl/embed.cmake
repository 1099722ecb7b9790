# Writes the shaders as the string constants that viz/gl/shaders.h declares.
# Script mode: -DOUT=FILE -DDIR=shaders/
set(text "// Generated from shaders/.\n#include \"viz/gl/shaders.h\"\n\n")
string(APPEND text "namespace tilescope::viz::gl {\n\n")
foreach(pair cells.vert=kCellsVert cells.frag=kCellsFrag)
  string(REGEX MATCH "(.*)=(.*)" matched "${pair}")
  set(file "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  file(READ "${DIR}/${file}" source)
  string(APPEND text "const char ${name}[] = R\"glsl(${source})glsl\";\n\n")
endforeach()
string(APPEND text "}  // namespace tilescope::viz::gl\n")
file(WRITE "${OUT}" "${text}")
