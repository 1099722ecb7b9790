# Who gets what others made gets its licence: the texts are gathered in one folder, which packages
# (Install.cmake) and the page (tools/web.sh) take along. A missing one costs a package a line of the
# configuration's log, the page its build.
set(TILESCOPE_LICENCES_DIR "${CMAKE_BINARY_DIR}/licences")
file(REMOVE_RECURSE "${TILESCOPE_LICENCES_DIR}")
file(MAKE_DIRECTORY "${TILESCOPE_LICENCES_DIR}")

# tilescope_licence(NAME FILE…): the first of the files that is there, and in full the licences that it
# names by the place where Debian has them.
function(tilescope_licence name)
  foreach(said IN LISTS ARGN)
    if(NOT EXISTS "${said}")
      continue()
    endif()
    file(READ "${said}" text)
    string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" named "${text}")
    list(REMOVE_DUPLICATES named)
    if(NOT EMSCRIPTEN)  # what is missing here costs no build
      foreach(one IN LISTS named)
        if(NOT EXISTS "${one}")
          list(REMOVE_ITEM named "${one}")
        endif()
      endforeach()
    endif()
    execute_process(COMMAND "${CMAKE_COMMAND}" -E cat "${said}" ${named}
                    OUTPUT_FILE "${TILESCOPE_LICENCES_DIR}/${name}.txt" COMMAND_ERROR_IS_FATAL ANY)
    return()
  endforeach()
  if(EMSCRIPTEN)
    message(FATAL_ERROR "The licence of ${name} was not found: the page cannot have it")
  endif()
  message(STATUS "The licence of ${name} was not found: it is not installed beside ours")
endfunction()

# tilescope_package_licence(NAME [PACKAGE…]): as one of these packages of Debian has it.
function(tilescope_package_licence name)
  list(TRANSFORM ARGN PREPEND "/usr/share/doc/" OUTPUT_VARIABLE files)
  list(TRANSFORM files APPEND "/copyright")
  tilescope_licence(${name} ${files})
endfunction()

tilescope_package_licence(nlohmann-json nlohmann-json3-dev)
tilescope_package_licence(cli11 libcli11-dev)
if(EMSCRIPTEN)  # what a page's modules are made of; other programs find it on their machine
  tilescope_package_licence(emscripten emscripten)
  tilescope_package_licence(fmt libfmt-dev)
  tilescope_package_licence(zlib zlib1g-dev zlib1g)
  tilescope_package_licence(zstd libzstd1)
else()
  tilescope_package_licence(spdlog libspdlog-dev)
endif()
if(TILESCOPE_BUILD_APP)
  foreach(font inter jetbrains-mono wqy-microhei)
    tilescope_package_licence(${font} fonts-${font})
  endforeach()
  tilescope_licence(imgui ${gui_imgui}/LICENSE.txt)
  tilescope_licence(implot ${gui_implot}/implot/LICENSE)
  tilescope_licence(hello-imgui ${gui_hello}/LICENSE)
  tilescope_licence(color-text-edit ${gui_editor}/ImGuiColorTextEdit/LICENSE)
  tilescope_licence(dtl ${gui_editor}/ImGuiColorTextEdit/dtl.h)  # at its head
  tilescope_licence(imgui-md ${gui_markdown}/imgui_md/LICENSE)
  tilescope_licence(md4c ${gui_markdown}/md4c/LICENSE.md)
  tilescope_licence(imgui-bundle ${TILESCOPE_BUNDLE_SOURCE}/LICENSE)
endif()
