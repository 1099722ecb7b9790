# How our own targets are compiled: what makes a build take minutes is reading headers and making the
# same templates anew in each file (docs/performance.md, "Seconds of the build").
option(TILESCOPE_UNITY "Compile files of a target together" ON)
option(TILESCOPE_PCH "Precompile the headers that most files of app/ read" ON)

# tilescope_unity(TARGET FILES_AT_ONCE [ALONE FILE…]): that many files are compiled as one. Names in
# unnamed namespaces are therefore unique in a target. ALONE: files that cannot be joined.
function(tilescope_unity target files)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  if(EMSCRIPTEN)  # built as a whole, seldom a file: what headers take counts more
    math(EXPR files "${files} * 3")
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${TILESCOPE_UNITY} UNITY_BUILD_BATCH_SIZE ${files})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tilescope_precompile(TARGET HEADER…): for folders whose files are edited, and compiled again, one
# by one. Headers of libraries alone: a precompiled header knows its parts by their paths, and the
# compiler's cache would give it to another checkout.
function(tilescope_precompile target)
  if(TILESCOPE_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# tilescope_optimize(TARGET LEVEL [PAGE_LEVEL]): of a release build. -O3 is for the emulator, the model
# and scenes; what runs once a click need only compile soon. A page's modules are downloaded: -Os,
# unless told.
function(tilescope_optimize target level)
  if(EMSCRIPTEN)
    set(level -Os ${ARGN})
    list(GET level -1 level)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()
