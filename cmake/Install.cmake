# cmake --install, and CPack's packages: cpack -G DEB, cpack -G TGZ. The programs find what lies in
# share/tilescope from where they are themselves, so that the tree may lie anywhere.
#   bin/                     tilescope, tilescope-cli, tilescope-draw
#   share/tilescope/         recordings, and the fonts in assets/ (presets are inside the programs)
#   share/man/, share/bash-completion/   made when it is installed, from what the programs say of themselves
#   share/doc/tilescope/     our licence and those of all that is shipped
include(GNUInstallDirs)
set(doc ${CMAKE_INSTALL_DATADIR}/doc/tilescope)

install(TARGETS tilescope-cli tilescope-draw RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Whole folders: what files there are in them is not known here.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/assets/recordings
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tilescope)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${doc} RENAME copyright)
install(FILES ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION ${doc})

install(DIRECTORY ${TILESCOPE_LICENCES_DIR}/ DESTINATION ${doc}/licences)

if(TILESCOPE_BUILD_APP)
  install(TARGETS tilescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${TILESCOPE_ASSETS_DIR}/fonts
          DESTINATION ${CMAKE_INSTALL_DATADIR}/tilescope/assets)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/desktop/tilescope.desktop
          DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/desktop/tilescope.svg
          DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()

# Manual pages and completion, from --help, so that commands and options are listed in the programs alone.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(man ${CMAKE_INSTALL_MANDIR}/man1)
set(completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
function(tilescope_install_made file)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
    message(STATUS \"Making: \${file}\")
    set(ENV{PYTHONDONTWRITEBYTECODE} 1)
    execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/cli_manual ${ARGN} \"\${file}\"
                    COMMAND_ERROR_IS_FATAL ANY)")
endfunction()
tilescope_install_made(${man}/tilescope-cli.1.gz man $<TARGET_FILE:tilescope-cli>)
set(window)
if(TILESCOPE_BUILD_APP)
  set(window $<TARGET_FILE:tilescope>)
  tilescope_install_made(${man}/tilescope.1.gz man ${window})
endif()
tilescope_install_made(${completions}/tilescope-cli bash $<TARGET_FILE:tilescope-cli> ${window})
if(window)  # bash looks for it by the name of the command
  install(CODE "
    file(CREATE_LINK tilescope-cli
         \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${completions}/tilescope\" SYMBOLIC)")
endif()

# Packages hold what has been built, without building tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME tilescope)
set(CPACK_PACKAGE_VENDOR Tilescope)
set(CPACK_PACKAGE_CONTACT "the authors of Tilescope <tilescope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Shows exactly what a CUDA GEMM kernel does")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# What programs are linked to, dpkg-shlibdeps finds; OpenGL and NVRTC are opened at run time.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(TILESCOPE_BUILD_APP)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libgl1)
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS nvidia-cuda-toolkit)
include(CPack)
