# Of the font for languages, WenQuanYi Micro Hei with its 34,000 glyphs, those that our own texts need:
# of every file below assets/ whose name, or whose folder's, is that of a language of assets/languages.
# hb-subset (Debian: libharfbuzz-bin) makes it when this is configured, which a changed text asks for, so
# that no font is committed. Without it the window draws with the whole font; a page has no other.
set(whole_font "${TILESCOPE_FONT_wqy-microhei.ttc}")
find_program(TILESCOPE_HB_SUBSET hb-subset NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(TILESCOPE_HB_SUBSET)
set(fewer_tables)
if(EMSCRIPTEN)
  set(fewer_tables --no-hinting)  # stb_truetype reads none of it
endif()

# tilescope_subset_font(NAME TEXT…): assets/fonts/NAME with the glyphs of these files' texts. Sets
# `font_trouble` if it cannot be made.
function(tilescope_subset_font name)
  set(folder "${CMAKE_BINARY_DIR}/language_font")
  file(MAKE_DIRECTORY "${folder}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E cat ${ARGN} OUTPUT_FILE "${folder}/${name}.txt"
                  COMMAND_ERROR_IS_FATAL ANY)
  # A font's collection is read by its first face, as Dear ImGui reads it.
  execute_process(COMMAND "${TILESCOPE_HB_SUBSET}" "--font-file=${whole_font}" --face-index=0
                          "--text-file=${folder}/${name}.txt" ${fewer_tables}
                          "--output-file=${folder}/${name}"
                  RESULT_VARIABLE failed ERROR_VARIABLE why OUTPUT_QUIET)
  if(failed)
    set(font_trouble "hb-subset made no ${name} (${failed}: ${why})" PARENT_SCOPE)
    return()
  endif()
  file(COPY_FILE "${folder}/${name}" "${TILESCOPE_ASSETS_DIR}/fonts/${name}" ONLY_IF_DIFFERENT)
endfunction()

set(assets "${CMAKE_SOURCE_DIR}/assets")
set(language_texts)
set(language_names)
file(GLOB language_files CONFIGURE_DEPENDS "${assets}/languages/*.json")
foreach(language IN LISTS language_files)
  cmake_path(GET language STEM LAST_ONLY id)
  if(id STREQUAL "en")
    continue()  # Inter's and JetBrains Mono's
  endif()
  file(GLOB texts LIST_DIRECTORIES false CONFIGURE_DEPENDS
       "${assets}/*[._-]${id}[._-]*" "${assets}/*/*[._-]${id}[._-]*" "${assets}/*/${id}.*"
       "${assets}/*/${id}/*")
  list(APPEND language_texts ${texts})
  file(READ "${language}" text)
  string(JSON readers_name GET "${text}" language)
  string(APPEND language_names "${readers_name}\n")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${language_texts})

set(font_trouble "")
if(NOT language_texts)
  set(font_trouble "there is no language beside English")
elseif(NOT whole_font)
  set(font_trouble "wqy-microhei.ttc is missing (Debian: fonts-wqy-microhei)")
elseif(NOT TILESCOPE_HB_SUBSET)
  set(font_trouble "hb-subset is missing (Debian: libharfbuzz-bin)")
else()
  tilescope_subset_font(wqy-microhei-subset.ttf ${language_texts})
  if(EMSCRIPTEN AND NOT font_trouble)
    # The menu names a language before its font has been fetched.
    file(WRITE "${CMAKE_BINARY_DIR}/language_font/names" "${language_names}")
    tilescope_subset_font(wqy-microhei-names.ttf "${CMAKE_BINARY_DIR}/language_font/names")
  endif()
endif()
if(font_trouble AND EMSCRIPTEN)
  message(FATAL_ERROR "The page's font for languages cannot be made: ${font_trouble}; ./web installs what it needs")
elseif(font_trouble)
  file(REMOVE "${TILESCOPE_ASSETS_DIR}/fonts/wqy-microhei-subset.ttf")  # of texts that were
  message(STATUS "The window draws languages with the whole font, if there is one: ${font_trouble}")
endif()
