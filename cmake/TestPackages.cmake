# tilescope_test_package(OUT LIST): the Python packages that a list pins, for tests alone; by name,
# version and hash, into the build folder. OUT is empty where pip cannot fetch them: then their tests
# are left out, with a warning.
include(CacheFolder)
function(tilescope_test_package out list)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
  file(SHA256 "${list}" hash)
  string(SUBSTRING ${hash} 0 12 hash)
  set(folder "${CMAKE_BINARY_DIR}/test-packages-${hash}")
  set(${out} "${folder}" PARENT_SCOPE)
  if(EXISTS "${folder}")
    return()
  endif()
  tilescope_find_pip(pip)
  set(failed TRUE)
  set(log "there is no pip")
  set(temporary "${folder}.part")
  if(pip)
    execute_process(
      COMMAND ${pip} install --quiet --no-deps --only-binary :all: --require-hashes
              --target "${temporary}" -r "${list}"
      RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  endif()
  if(failed)
    file(REMOVE_RECURSE "${temporary}")
    message(WARNING "pip could not fetch the packages of ${list}; their tests are left out. ${log}")
    set(${out} "" PARENT_SCOPE)
    return()
  endif()
  # Renamed when whole, so that a configure that is killed is not taken for one that fetched.
  file(RENAME "${temporary}" "${folder}")
endfunction()
