# Dear ImGui (docking), Hello ImGui, ImPlot, the text editor and, for the UI tests alone, the test
# engine: all from one pinned source package, fetched by name, version and hash.
include(CacheFolder)

set(TILESCOPE_BUNDLE_VERSION 1.92.900)
set(TILESCOPE_BUNDLE_SHA256 1476409b76c7f600d0da472aed87e96382444df50695280b3ed9acd5065cb6c2)

# Downloads the package into ${TILESCOPE_CACHE}, or does nothing when it is there and whole.
function(tilescope_download_bundle tarball)
  if(EXISTS "${tarball}")
    file(SHA256 "${tarball}" found)
    if(found STREQUAL TILESCOPE_BUNDLE_SHA256)
      return()
    endif()
    message(WARNING "${tarball} is damaged (sha256 ${found}); downloading it again")
    file(REMOVE "${tarball}")
  endif()
  tilescope_find_pip(pip)
  if(NOT pip)
    message(FATAL_ERROR "imgui-bundle ${TILESCOPE_BUNDLE_VERSION} is needed for the window, and "
      "there is no pip to fetch it: install python3-pip, or configure with "
      "-DTILESCOPE_BUILD_APP=OFF for the command line alone")
  endif()
  message(STATUS "Fetching imgui-bundle ${TILESCOPE_BUNDLE_VERSION} (49 MB, about a minute)")
  string(RANDOM LENGTH 8 suffix)
  set(temporary "${TILESCOPE_CACHE}/.download-${suffix}")
  file(MAKE_DIRECTORY "${temporary}")
  execute_process(
    COMMAND ${pip} download --quiet --no-deps --no-binary :all: --dest "${temporary}"
            imgui-bundle==${TILESCOPE_BUNDLE_VERSION}
    RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  file(GLOB fetched "${temporary}/imgui_bundle-*.tar.gz")
  if(failed OR NOT fetched)
    file(REMOVE_RECURSE "${temporary}")
    message(FATAL_ERROR "pip could not fetch imgui-bundle ${TILESCOPE_BUNDLE_VERSION}: ${log}\n"
      "Put imgui_bundle-${TILESCOPE_BUNDLE_VERSION}.tar.gz into ${TILESCOPE_CACHE} by hand, or "
      "configure with -DTILESCOPE_BUILD_APP=OFF for the command line alone")
  endif()
  file(SHA256 "${fetched}" found)
  if(NOT found STREQUAL TILESCOPE_BUNDLE_SHA256)
    file(REMOVE_RECURSE "${temporary}")
    message(FATAL_ERROR "imgui-bundle ${TILESCOPE_BUNDLE_VERSION}: sha256 is ${found}, "
      "expected ${TILESCOPE_BUNDLE_SHA256}; nothing was unpacked")
  endif()
  file(RENAME "${fetched}" "${tarball}")
  file(REMOVE_RECURSE "${temporary}")
endfunction()

# Sets `out` to the unpacked source. Unpacks beside the goal and renames, so that a build that is
# killed, or two at once, never see half a tree.
function(tilescope_fetch_bundle out)
  set(name imgui_bundle-${TILESCOPE_BUNDLE_VERSION})
  set(source "${TILESCOPE_CACHE}/${name}")
  if(NOT EXISTS "${source}/CMakeLists.txt")
    file(LOCK "${TILESCOPE_CACHE}/.lock" GUARD FUNCTION TIMEOUT 900)
    if(NOT EXISTS "${source}/CMakeLists.txt")
      tilescope_download_bundle("${source}.tar.gz")
      string(RANDOM LENGTH 8 suffix)
      set(temporary "${TILESCOPE_CACHE}/.unpack-${suffix}")
      file(ARCHIVE_EXTRACT INPUT "${source}.tar.gz" DESTINATION "${temporary}")
      file(REMOVE_RECURSE "${source}")
      file(RENAME "${temporary}/${name}" "${source}")
      file(REMOVE_RECURSE "${temporary}")
    endif()
  endif()
  set(${out} "${source}" PARENT_SCOPE)
endfunction()

tilescope_fetch_bundle(TILESCOPE_BUNDLE_SOURCE)

# Only what is linked is built; everything that would clone or download is off.
foreach(option IMGUI_BUNDLE_BUILD_PYTHON IMGUI_BUNDLE_AUTO_CLONE_SUBMODULES
               IMGUI_BUNDLE_BUILD_DEMOS IMGUI_BUNDLE_INSTALL_CPP IMGUI_BUNDLE_WITH_NANOVG
               IMGUI_BUNDLE_WITH_IMGUI_TEX_INSPECT IMGUI_BUNDLE_WITH_IMGUIZMO
               IMGUI_BUNDLE_WITH_IMFILEDIALOG IMGUI_BUNDLE_WITH_IMPLOT3D
               IMGUI_BUNDLE_WITH_IMANIM IMGUI_BUNDLE_WITH_IMANIM_FULL_DEMOS
               IMGUI_BUNDLE_WITH_IMGUI_EXPLORER_LIB IMGUI_BUNDLE_WITH_IMMVISION
               HELLOIMGUI_USE_FREETYPE_PLUTOSVG IMGUI_RICHMD_WITH_DOWNLOAD_IMAGES)
  set(${option} OFF CACHE BOOL "" FORCE)
endforeach()
foreach(option HELLOIMGUI_USE_GLFW3 HELLOIMGUI_HAS_OPENGL3 HELLOIMGUI_USE_FREETYPE)
  set(${option} ON CACHE BOOL "" FORCE)
endforeach()
# Compiled into ImGui itself, and not under an OSI licence: only the UI tests' own build has it.
set(HELLOIMGUI_WITH_TEST_ENGINE ${TILESCOPE_UI_TESTS} CACHE BOOL "" FORCE)

set(CMAKE_MESSAGE_LOG_LEVEL_SAVED ${CMAKE_MESSAGE_LOG_LEVEL})
set(CMAKE_MESSAGE_LOG_LEVEL ERROR)  # it warns of what is switched off on purpose
set(CMAKE_SUPPRESS_DEVELOPER_WARNINGS ON CACHE INTERNAL "")
add_subdirectory("${TILESCOPE_BUNDLE_SOURCE}" "${CMAKE_BINARY_DIR}/imgui_bundle" EXCLUDE_FROM_ALL
                 SYSTEM)
set(CMAKE_MESSAGE_LOG_LEVEL ${CMAKE_MESSAGE_LOG_LEVEL_SAVED})

# A plot or a scene of 10^6 cells passes 65,535 vertices.
target_compile_definitions(imgui PUBLIC "ImDrawIdx=unsigned int")
# Plots are of doubles here. With the package's thirteen types implot_items.cpp takes three minutes.
get_target_property(implot_definitions implot COMPILE_DEFINITIONS)
list(FILTER implot_definitions EXCLUDE REGEX "^IMPLOT_CUSTOM_NUMERIC_TYPES=")
set_target_properties(implot PROPERTIES COMPILE_DEFINITIONS
  "${implot_definitions};IMPLOT_CUSTOM_NUMERIC_TYPES=(float)(double)")
