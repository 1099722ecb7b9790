# Directory-wide on purpose: a new target in any folder gets them without asking.
add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-Wall> $<$<COMPILE_LANGUAGE:CXX,C>:-Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees overlaps in `"text" + std::string` that are not there (its bug 105651).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(TILESCOPE_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-Werror>)
endif()
