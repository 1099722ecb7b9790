# Directory-wide on purpose: a new target in any folder gets them without asking.
add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-Wall> $<$<COMPILE_LANGUAGE:CXX,C>:-Wextra>)
if(TILESCOPE_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-Werror>)
endif()
