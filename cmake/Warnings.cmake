# Directory-wide on purpose: a new target in any folder gets them without asking.
add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-Wall> $<$<COMPILE_LANGUAGE:CXX,C>:-Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees overlaps in `"text" + std::string` that are not there (its bug 105651).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# Whoever reads a part of a plan reads all its kinds: a switch without `default` that lacks one is an
# error in every target that can see them (tests/structure finds a `default`).
function(tilescope_exhaustive target)
  target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror=switch>)
endfunction()
if(TILESCOPE_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-Werror>)
endif()
