# Where downloads that outlive a build folder are kept: ${XDG_CACHE_HOME:-~/.cache}/tilescope.
# Never in the tree, so that a checkout stays what git says it is.
if(NOT DEFINED TILESCOPE_CACHE)
  if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(TILESCOPE_CACHE "$ENV{XDG_CACHE_HOME}/tilescope")
  elseif(DEFINED ENV{HOME} AND NOT "$ENV{HOME}" STREQUAL "")
    set(TILESCOPE_CACHE "$ENV{HOME}/.cache/tilescope")
  else()
    set(TILESCOPE_CACHE "${CMAKE_BINARY_DIR}/cache")
  endif()
endif()
file(MAKE_DIRECTORY "${TILESCOPE_CACHE}")

# The plain system Python first: a virtual environment or pyenv's shim may lack pip.
function(tilescope_find_pip out)
  foreach(candidate python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -m pip --version
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${out} ${candidate} -m pip PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

# The distribution and its version, "12debian" as its file has it, for what is fetched of it and kept.
function(tilescope_release out)
  set(release unknown)
  if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release lines REGEX "^(ID|VERSION_ID)=")
    string(REGEX REPLACE "(VERSION_)?ID=|\"|;" "" release "${lines}")
  endif()
  set(${out} "${release}" PARENT_SCOPE)
endfunction()
