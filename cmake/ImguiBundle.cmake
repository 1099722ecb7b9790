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

set(gui_imgui ${TILESCOPE_BUNDLE_SOURCE}/external/imgui/imgui)
set(gui_hello ${TILESCOPE_BUNDLE_SOURCE}/external/hello_imgui/hello_imgui)
set(gui_implot ${TILESCOPE_BUNDLE_SOURCE}/external/implot)
set(gui_editor ${TILESCOPE_BUNDLE_SOURCE}/external/ImGuiColorTextEdit)
set(gui_markdown ${TILESCOPE_BUNDLE_SOURCE}/external/imgui_md)
set(gui_engine ${TILESCOPE_BUNDLE_SOURCE}/external/imgui_test_engine/imgui_test_engine)
set(gui_stb ${gui_hello}/external/stb_hello_imgui)

# What it stands on: the system's libraries, or the browser's.
add_library(tilescope_gui_system INTERFACE)
if(EMSCRIPTEN)
  target_include_directories(tilescope_gui_system SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/page/glfw
    ${web_headers})
  set(gui_loader HELLOIMGUI_USE_GLES3 IMGUI_IMPL_OPENGL_ES3)
  set(gui_freetype)
  set(gui_runners "runner_sdl")
else()
  find_package(OpenGL REQUIRED COMPONENTS OpenGL)
  find_package(glfw3 REQUIRED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(freetype REQUIRED IMPORTED_TARGET freetype2)
  target_link_libraries(tilescope_gui_system INTERFACE
    glfw OpenGL::OpenGL PkgConfig::freetype Threads::Threads ${CMAKE_DL_LIBS})
  set(gui_loader HELLOIMGUI_USE_GLAD IMGUI_IMPL_OPENGL_LOADER_GLAD)
  set(gui_freetype IMGUI_ENABLE_FREETYPE)
  set(gui_freetype_file ${gui_imgui}/misc/freetype/imgui_freetype.cpp)
  set(gui_glad_file ${gui_hello}/external/OpenGL_Loaders/glad/src/glad.c)
  set(gui_runners "emscripten")
endif()

# The package says where its own assertions stand; not where it lay when it was compiled.
set(gui_names "-ffile-prefix-map=${TILESCOPE_BUNDLE_SOURCE}/external=gui")

# The C parts and the image files, which know nothing of ImGui: shared by both libraries below.
add_library(tilescope_gui_base STATIC EXCLUDE_FROM_ALL
  ${gui_stb}/stb_impl_hello_imgui.cpp ${gui_glad_file}
  ${gui_hello}/src/hello_imgui/internal/whereami/whereami.c)
target_include_directories(tilescope_gui_base SYSTEM PUBLIC
  ${gui_hello}/src ${gui_stb} ${gui_hello}/external/OpenGL_Loaders/glad/include)
target_compile_definitions(tilescope_gui_base PRIVATE
  STB_IMAGE_IMPLEMENTATION STB_IMAGE_WRITE_IMPLEMENTATION)
target_compile_options(tilescope_gui_base PRIVATE ${gui_names} -w $<$<CONFIG:Release>:-O1>)

# What whoever draws must see: the same for both libraries.
add_library(tilescope_gui_headers INTERFACE)
target_compile_options(tilescope_gui_headers INTERFACE ${gui_names})
target_include_directories(tilescope_gui_headers SYSTEM INTERFACE
  ${gui_imgui} ${gui_imgui}/backends ${gui_imgui}/misc/cpp ${gui_imgui}/misc/freetype
  ${gui_hello}/src ${gui_implot} ${gui_editor} ${gui_stb}
  ${gui_markdown}/imgui_md ${gui_markdown}/md4c/src
  ${gui_hello}/external/OpenGL_Loaders/glad/include)
target_compile_features(tilescope_gui_headers INTERFACE cxx_std_17)
target_compile_definitions(tilescope_gui_headers INTERFACE
  HELLOIMGUI_HAS_OPENGL HELLOIMGUI_HAS_OPENGL3 HELLOIMGUI_USE_GLFW HELLOIMGUI_USE_GLFW3
  IMGUI_USE_WCHAR32 ${gui_loader} ${gui_freetype}
  IMGUI_USER_CONFIG="${TILESCOPE_BUNDLE_SOURCE}/imgui_bundle_cmake/imgui_bundle_config.h"
  # A plot or a scene of 10^6 cells passes 65,535 vertices.
  "ImDrawIdx=unsigned int"
  # Plots are of doubles here. With the package's thirteen types implot_items.cpp takes three minutes.
  "IMPLOT_CUSTOM_NUMERIC_TYPES=(double)")

# Of Hello ImGui all but the other platforms.
file(GLOB_RECURSE gui_hello_files ${gui_hello}/src/hello_imgui/*.cpp)
list(FILTER gui_hello_files EXCLUDE REGEX
  "(dx11|dx12|vulkan|metal|sdl|runner_qt|win32|${gui_runners})")
list(FILTER gui_hello_files EXCLUDE REGEX "only_headers_here|remote_display_handler_|doc_src")
# What reads the test engine's macros: built once for each of the two libraries below.
set(gui_hooked
  ${gui_imgui}/imgui.cpp ${gui_imgui}/imgui_tables.cpp ${gui_imgui}/imgui_widgets.cpp
  ${gui_imgui}/imgui_demo.cpp ${gui_imgui}/imgui_stacklayout.cpp)
set(gui_hooked_hello ${gui_hello}/src/hello_imgui/impl/hello_imgui.cpp
  ${gui_hello}/src/hello_imgui/internal/backend_impls/abstract_runner.cpp)
list(REMOVE_ITEM gui_hello_files ${gui_hooked_hello})

# Markdown as HTML: tilescope-draw's, which has no window.
set(gui_md4c ${gui_markdown}/md4c/src)
add_library(tilescope_md4c STATIC EXCLUDE_FROM_ALL
  ${gui_md4c}/md4c.c ${gui_md4c}/md4c-html.c ${gui_md4c}/entity.c)
target_include_directories(tilescope_md4c SYSTEM PUBLIC ${gui_md4c})
target_compile_options(tilescope_md4c PRIVATE -w $<$<CONFIG:Release>:-O1>)

# All the rest, once. Not our code: no warnings, and -O2 for all that runs in each frame.
set(gui_shared ${gui_imgui}/imgui_draw.cpp
  ${gui_imgui}/misc/cpp/imgui_stdlib.cpp ${gui_freetype_file}
  ${gui_imgui}/backends/imgui_impl_opengl3.cpp ${gui_imgui}/backends/imgui_impl_glfw.cpp
  ${gui_implot}/implot/implot.cpp ${gui_implot}/implot/implot_items.cpp
  ${gui_editor}/ImGuiColorTextEdit/TextEditor.cpp
  ${gui_editor}/ImGuiColorTextEdit/TextDiff.cpp
  ${gui_markdown}/imgui_md/imgui_md.cpp ${gui_markdown}/md4c/src/md4c.c)
add_library(tilescope_gui_shared OBJECT EXCLUDE_FROM_ALL ${gui_shared})
# Hello ImGui starts the window, and is idle then; nobody edits it, so it is compiled as one.
add_library(tilescope_gui_hello OBJECT EXCLUDE_FROM_ALL ${gui_hello_files})
tilescope_unity(tilescope_gui_hello 12 ALONE  # a header of theirs has no guard
  ${gui_hello}/src/hello_imgui/internal/docking_details.cpp
  ${gui_hello}/src/hello_imgui/internal/hello_imgui_ini_settings.cpp)
target_compile_definitions(tilescope_gui_hello PRIVATE IMGUI_DEFINE_MATH_OPERATORS= GLFW_INCLUDE_NONE=)
foreach(part shared:-O2 hello:-O1)
  string(REPLACE ":" ";" part ${part})
  list(POP_FRONT part name)
  target_link_libraries(tilescope_gui_${name} PRIVATE tilescope_gui_headers tilescope_gui_base
    tilescope_gui_system)
  target_compile_options(tilescope_gui_${name} PRIVATE -w $<$<CONFIG:Release>:${part}>)
  tilescope_check_accesses_alone(tilescope_gui_${name})
endforeach()

# tilescope_gui_library(NAME [TEST_ENGINE]): what the window is made of, and no more of the package
# than that. The package's own build makes one library for all its programs; the UI tests need a
# second one in the same build, with the test engine compiled into ImGui.
function(tilescope_gui_library name)
  cmake_parse_arguments(ARG "TEST_ENGINE" "" "" ${ARGN})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${gui_hooked} ${gui_hooked_hello}
    $<TARGET_OBJECTS:tilescope_gui_shared> $<TARGET_OBJECTS:tilescope_gui_hello>)
  target_link_libraries(${name} PUBLIC
    tilescope_gui_headers tilescope_gui_base tilescope_gui_system)
  # The tests draw one frame in sixteen, and ImGui takes half the time to compile. In the window a
  # slider would move 3 % slower.
  set(level -O2)
  if(ARG_TEST_ENGINE)
    set(level -O1)
  endif()
  target_compile_options(${name} PRIVATE -w $<$<CONFIG:Release>:${level}>)
  tilescope_check_accesses_alone(${name})
  set_source_files_properties(${gui_hooked_hello} PROPERTIES
    COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  # The demo windows are empty then, which the metrics window and others still call.
  set_source_files_properties(${gui_imgui}/imgui_demo.cpp PROPERTIES
    COMPILE_DEFINITIONS IMGUI_DISABLE_DEMO_WINDOWS)
  if(ARG_TEST_ENGINE)
    file(GLOB engine ${gui_engine}/imgui_test_engine/*.cpp)
    target_sources(${name} PRIVATE ${engine}
      ${gui_hello}/src/hello_imgui_test_engine_integration/test_engine_integration.cpp)
    target_include_directories(${name} SYSTEM PUBLIC ${gui_engine})
    target_compile_definitions(${name}
      PUBLIC HELLOIMGUI_WITH_TEST_ENGINE IMGUI_ENABLE_TEST_ENGINE IMGUI_TEST_ENGINE_ENABLE_CAPTURE=1
             IMGUI_TEST_ENGINE_ENABLE_STD_FUNCTION=1
             IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1
      PRIVATE IMGUI_DISABLE_STB_IMAGE_WRITE_IMPLEMENTATION
              IMGUI_STB_IMAGE_WRITE_FILENAME="${gui_stb}/stb_image_write.h")
  endif()
endfunction()

tilescope_gui_library(tilescope_gui)
