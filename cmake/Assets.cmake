# Fonts of the window: Inter, JetBrains Mono, and WenQuanYi Micro Hei for Chinese, copied from Debian's packages into the build; a missing one costs a log line at start, not
# the build.
set(TILESCOPE_ASSETS_DIR "${CMAKE_BINARY_DIR}/assets")
file(MAKE_DIRECTORY "${TILESCOPE_ASSETS_DIR}/fonts")
foreach(font inter/Inter-Regular.otf inter/Inter-SemiBold.otf
             jetbrains-mono/JetBrainsMono-Regular.ttf jetbrains-mono/JetBrainsMono-SemiBold.ttf
             wqy/wqy-microhei.ttc)
  cmake_path(GET font FILENAME name)
  cmake_path(GET font PARENT_PATH family)
  find_file(TILESCOPE_FONT_${name} ${name}
            PATHS /usr/share/fonts /usr/local/share/fonts NO_CMAKE_FIND_ROOT_PATH
            PATH_SUFFIXES opentype/${family} truetype/${family} ${family} TTF OTF)
  mark_as_advanced(TILESCOPE_FONT_${name})
  if(TILESCOPE_FONT_${name})
    configure_file("${TILESCOPE_FONT_${name}}" "${TILESCOPE_ASSETS_DIR}/fonts/${name}" COPYONLY)
  else()
    message(STATUS "${name} not found: the window will use ImGui's own font "
                   "(Debian: fonts-inter fonts-jetbrains-mono fonts-wqy-microhei)")
  endif()
endforeach()
include(LanguageFont)
