# What the sanitizers look at, and how, in every build that has them.
set(TILESCOPE_SANITIZER "" CACHE STRING "Of all that is built: address (with undefined behaviour) or thread")
set_property(CACHE TILESCOPE_SANITIZER PROPERTY STRINGS "" address thread)

# Of the undefined behaviour what an odd input can bring about: arithmetic, indices, conversions,
# values. Null, alignment and types of objects, half of the time to compile, are left to the fuzzers'
# build (CMakePresets.json), whose compiler takes less for them.
string(JOIN "," checks address signed-integer-overflow shift integer-divide-by-zero bounds bool enum
       float-cast-overflow unreachable return vla-bound builtin)
set(tilescope_address_checks -fsanitize=${checks} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
# Accesses are checked by calls in place of code at each: half of the time to compile again.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(tilescope_checks_by_calls "SHELL:--param asan-instrumentation-with-call-threshold=0")
  set(checks_in_place "SHELL:--param asan-instrumentation-with-call-threshold=7000")
else()
  set(tilescope_checks_by_calls "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")
  set(checks_in_place "SHELL:-mllvm -asan-instrumentation-with-call-threshold=7000")
endif()

if(TILESCOPE_SANITIZER STREQUAL "address")
  add_compile_options(${tilescope_address_checks} ${tilescope_checks_by_calls})
  add_link_options(${tilescope_address_checks})
elseif(TILESCOPE_SANITIZER STREQUAL "thread")
  add_compile_options(-fsanitize=thread -g1)
  add_link_options(-fsanitize=thread)
elseif(TILESCOPE_SANITIZER)
  message(FATAL_ERROR "TILESCOPE_SANITIZER is ${TILESCOPE_SANITIZER}; there are address and thread")
endif()

# tilescope_check_in_place(TARGET…): those in which a test's time is spent.
function(tilescope_check_in_place)
  if(TILESCOPE_SANITIZER STREQUAL "address")
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE ${checks_in_place})
    endforeach()
  endif()
endfunction()

# tilescope_check_accesses_alone(TARGET…): code of others, whose arithmetic is theirs.
function(tilescope_check_accesses_alone)
  tilescope_check_in_place(${ARGN})
  if(TILESCOPE_SANITIZER STREQUAL "address")
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE -fno-sanitize=undefined,float-cast-overflow)
    endforeach()
  endif()
endfunction()
