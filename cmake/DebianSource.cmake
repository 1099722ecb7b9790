# tilescope_debian_source(OUT PACKAGE): the source of a library as the distribution has it, for a build
# whose target has no packages (WebAssembly). apt-get fetches it by name and version and checks it
# against the archive's signed list; it is unpacked into the cache. Nothing is installed, and the
# system's list of sources stays what it is.
include(CacheFolder)

function(tilescope_debian_source out package)
  tilescope_release(release)
  set(folder "${TILESCOPE_CACHE}/sources-${release}/${package}")
  set(${out} "${folder}" PARENT_SCOPE)
  file(LOCK "${TILESCOPE_CACHE}/.lock" GUARD FUNCTION TIMEOUT 900)
  if(EXISTS "${folder}")
    return()
  endif()
  message(STATUS "Fetching the source of ${package}")
  set(lists "${TILESCOPE_CACHE}/sources-${release}/.lists")
  string(RANDOM LENGTH 8 suffix)
  set(temporary "${TILESCOPE_CACHE}/.source-${suffix}")
  file(MAKE_DIRECTORY "${temporary}/get" "${temporary}/cache/archives/partial" "${temporary}/parts"
       "${lists}/partial")
  # The machine's own sources, asked for source packages.
  file(GLOB stanzas /etc/apt/sources.list.d/*.sources)
  foreach(file ${stanzas})
    file(READ "${file}" text)
    string(REGEX REPLACE "(^|\n)Types:[^\n]*" "\\1Types: deb-src" text "${text}")
    cmake_path(GET file FILENAME name)
    file(WRITE "${temporary}/parts/${name}" "${text}")
  endforeach()
  if(EXISTS /etc/apt/sources.list)
    file(READ /etc/apt/sources.list text)
    string(REGEX REPLACE "(^|\n)deb-src " "\\1deb " text "${text}")
    string(REGEX REPLACE "(^|\n)deb " "\\1deb-src " text "${text}")
    file(WRITE "${temporary}/parts/all.list" "${text}")
  endif()
  set(apt apt-get -q -o APT::Sandbox::User=root -o Dir::State::lists=${lists}
      -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=${temporary}/parts
      -o Dir::Cache=${temporary}/cache)
  set(failed FALSE)
  set(log)
  file(GLOB listed "${lists}/*Sources*")
  if(NOT listed)
    execute_process(COMMAND ${apt} update RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  endif()
  if(NOT failed)
    # The newest version, or one that the archive still has: a mirror may list one before it is there.
    string(REPLACE "apt-get" "apt-cache" cache "${apt}")
    execute_process(COMMAND ${cache} showsrc --only-source ${package} OUTPUT_VARIABLE all ERROR_QUIET)
    string(REGEX MATCHALL "\nVersion: [^\n]+" versions "\n${all}")
    list(TRANSFORM versions REPLACE "\nVersion: " "${package}=")
    foreach(name ${package} ${versions})
      execute_process(COMMAND ${apt} --download-only source ${name}
                      WORKING_DIRECTORY "${temporary}/get"
                      RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
      if(NOT failed)
        break()
      endif()
    endforeach()
  endif()
  file(GLOB archive "${temporary}/get/*.orig.tar.*z*")
  list(FILTER archive EXCLUDE REGEX "\\.asc$")
  if(archive AND NOT failed)
    list(GET archive 0 archive)
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${temporary}/unpacked")
    file(GLOB unpacked "${temporary}/unpacked/*")
    # Renamed when whole, so that a configure that is killed is not taken for one that fetched.
    file(RENAME "${unpacked}" "${folder}")
  endif()
  file(REMOVE_RECURSE "${temporary}")
  if(NOT EXISTS "${folder}")
    message(FATAL_ERROR "apt-get could not fetch the source of ${package}, which the page is built "
      "with: ${log}")
  endif()
endfunction()
