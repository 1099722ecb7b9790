# tilescope_fetch_wheels(FOLDER LIST SAID LACKING): the Python wheels that a list pins, by name,
# version and hash, into a folder of the cache, atomically. Where pip cannot, a warning says what is
# lacking then, and the folder is not there.
include(CacheFolder)

# The folder in the cache that a list's wheels go to: another one when the list changes.
function(tilescope_wheel_folder out prefix list)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
  file(SHA256 "${list}" hash)
  string(SUBSTRING ${hash} 0 12 hash)
  set(${out} "${TILESCOPE_CACHE}/${prefix}-${hash}" PARENT_SCOPE)
endfunction()

function(tilescope_fetch_wheels folder list said lacking)
  file(LOCK "${TILESCOPE_CACHE}/.lock" GUARD FUNCTION TIMEOUT 900)
  if(EXISTS "${folder}/nvidia")
    return()
  endif()
  tilescope_find_pip(pip)
  if(NOT pip)
    message(WARNING "no pip: ${lacking}; install python3-pip and configure again")
    return()
  endif()
  message(STATUS "Fetching ${said}")
  string(RANDOM LENGTH 8 suffix)
  set(temporary "${TILESCOPE_CACHE}/.wheels-${suffix}")
  execute_process(
    COMMAND ${pip} install --quiet --no-deps --only-binary :all: --require-hashes
            --target "${temporary}" -r "${list}"
    RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(failed)
    file(REMOVE_RECURSE "${temporary}")
    message(WARNING "pip could not fetch ${said}: ${lacking}. ${log}")
    return()
  endif()
  # The second copy of the compiler inside the wheel, 110 MB, is for an older C++ ABI.
  file(GLOB unused "${temporary}/nvidia/*/lib/*.alt.so*")
  if(unused)
    file(REMOVE ${unused})
  endif()
  file(RENAME "${temporary}" "${folder}")
endfunction()
