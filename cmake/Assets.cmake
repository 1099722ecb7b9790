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

# Who gets a font gets its licence: what Debian's package says of it, and in full the licences that it
# names by the place where Debian has them.
set(TILESCOPE_LICENCES_DIR "${CMAKE_BINARY_DIR}/licences")
file(MAKE_DIRECTORY "${TILESCOPE_LICENCES_DIR}")
foreach(name inter jetbrains-mono wqy-microhei)
  set(said "/usr/share/doc/fonts-${name}/copyright")
  set(file "${TILESCOPE_LICENCES_DIR}/${name}.txt")
  file(REMOVE "${file}")
  if(EXISTS "${said}")
    file(READ "${said}" text)
    string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" named "${text}")
    list(REMOVE_DUPLICATES named)
    if(NOT EMSCRIPTEN)  # what is missing here costs no build
      foreach(one IN LISTS named)
        if(NOT EXISTS "${one}")
          list(REMOVE_ITEM named "${one}")
        endif()
      endforeach()
    endif()
    execute_process(COMMAND "${CMAKE_COMMAND}" -E cat "${said}" ${named} OUTPUT_FILE "${file}"
                    COMMAND_ERROR_IS_FATAL ANY)
  elseif(EMSCRIPTEN)
    message(FATAL_ERROR "The licence of ${name} was not found: the page cannot have the font")
  endif()
endforeach()
