# GoogleTest and rapidcheck for a build with -m32, of the same distribution: apt-get fetches its i386
# packages into the cache and they are unpacked there. Nothing is installed, and the system's list of
# architectures stays what it is. Of fmt the installed headers are enough.
include(CacheFolder)

# Sets `out` to the folder; stops the configure, with a sentence, where there is none to be had.
function(tilescope_packages_32 out)
  tilescope_release(release)
  set(folder "${TILESCOPE_CACHE}/packages-i386-${release}")
  set(${out} "${folder}" PARENT_SCOPE)
  file(LOCK "${TILESCOPE_CACHE}/.lock" GUARD FUNCTION TIMEOUT 900)
  if(EXISTS "${folder}")
    return()
  endif()
  message(STATUS "Fetching GoogleTest and rapidcheck for i386 (10 MB)")
  string(RANDOM LENGTH 8 suffix)
  set(temporary "${TILESCOPE_CACHE}/.packages-${suffix}")
  file(MAKE_DIRECTORY "${temporary}/lists/partial" "${temporary}/cache/archives/partial"
       "${temporary}/root")
  file(TOUCH "${temporary}/status")
  set(apt apt-get -q -o APT::Architecture=i386 -o APT::Architectures=i386
      -o Dir::State::lists=${temporary}/lists -o Dir::State::status=${temporary}/status
      -o Dir::Cache=${temporary}/cache)
  set(log)
  set(failed FALSE)
  # A list of some other source that could not be had is no failure: the packages decide.
  foreach(step update "download;libgtest-dev;librapidcheck-dev")
    execute_process(COMMAND ${apt} ${step} WORKING_DIRECTORY "${temporary}"
                    RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  endforeach()
  file(GLOB packages "${temporary}/*.deb")
  foreach(package ${packages})
    if(NOT failed)
      execute_process(COMMAND dpkg-deb -x "${package}" "${temporary}/root"
                      RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
    endif()
  endforeach()
  if(NOT failed)
    # Renamed when whole, so that a configure that is killed is not taken for one that fetched.
    file(RENAME "${temporary}/root" "${folder}")
  endif()
  file(REMOVE_RECURSE "${temporary}")
  if(failed)
    message(FATAL_ERROR "apt-get could not fetch the i386 packages of the tests' libraries, without "
      "which there are no tests of a 32-bit build: ${log}")
  endif()
endfunction()

tilescope_packages_32(TILESCOPE_PACKAGES_32)
foreach(package GTest rapidcheck)
  set(${package}_DIR "${TILESCOPE_PACKAGES_32}/usr/lib/i386-linux-gnu/cmake/${package}")
endforeach()
set(fmt_DIR "${CMAKE_BINARY_DIR}/fmt")
file(CONFIGURE OUTPUT "${fmt_DIR}/fmt-config.cmake" CONTENT
"add_library(fmt::fmt INTERFACE IMPORTED)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
")
