# The build for WebAssembly (preset `web`): what other builds find as packages is made here, under the
# same names, from headers that are installed and from the distribution's sources.
include(DebianSource)

# Without threads: the page needs no headers from its server then, and of emscripten 3.1.6 typed
# catches do not work beside -pthread.
set(web_options -fwasm-exceptions -msimd128)
add_compile_options(${web_options} "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=tilescope"
  "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${CMAKE_SOURCE_DIR}/page/compat/cxx20.h>")
add_link_options(${web_options})

# Headers that know no machine, seen alone: /usr/include itself is another one's.
set(web_headers "${CMAKE_BINARY_DIR}/headers")
file(MAKE_DIRECTORY "${web_headers}")
foreach(library nlohmann fmt CLI)
  if(NOT EXISTS /usr/include/${library})
    message(FATAL_ERROR "/usr/include/${library} is missing; ./web installs it")
  endif()
  file(CREATE_LINK /usr/include/${library} "${web_headers}/${library}" SYMBOLIC)
endforeach()

# tilescope_web_package(NAME TARGET [DEFINITION…]): `find_package(NAME)` finds these headers.
function(tilescope_web_package name target)
  set(folder "${CMAKE_BINARY_DIR}/packages/${name}")
  file(CONFIGURE OUTPUT "${folder}/${name}Config.cmake" CONTENT
"if(NOT TARGET ${target})
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE \"${web_headers}\")
  target_compile_definitions(${target} INTERFACE ${ARGN})
endif()
")
  set(${name}_DIR "${folder}" CACHE PATH "" FORCE)
endfunction()
tilescope_web_package(nlohmann_json nlohmann_json::nlohmann_json)
tilescope_web_package(fmt fmt::fmt)
tilescope_web_package(CLI11 CLI11::CLI11)

# tilescope_web_library(TARGET FILE…): of somebody else's, so without warnings.
function(tilescope_web_library target)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${ARGN})
  target_compile_options(${target} PRIVATE -w)
endfunction()

# Compiled once: its headers alone would be compiled anew in each file that formats.
tilescope_debian_source(fmt_source fmtlib)
tilescope_web_library(tilescope_fmt "${fmt_source}/src/format.cc")
target_include_directories(tilescope_fmt SYSTEM PUBLIC "${web_headers}")
add_library(fmt::fmt ALIAS tilescope_fmt)

tilescope_debian_source(zlib_source zlib)
set(zlib_files adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil)
list(TRANSFORM zlib_files PREPEND "${zlib_source}/")
list(TRANSFORM zlib_files APPEND .c)
tilescope_web_library(tilescope_zlib ${zlib_files})
target_include_directories(tilescope_zlib SYSTEM PUBLIC "${zlib_source}")
add_library(ZLIB::ZLIB ALIAS tilescope_zlib)

tilescope_debian_source(zstd_source libzstd)
file(GLOB zstd_files "${zstd_source}/lib/common/*.c" "${zstd_source}/lib/decompress/*.c")
tilescope_web_library(tilescope_zstd ${zstd_files})
target_include_directories(tilescope_zstd SYSTEM PUBLIC "${zstd_source}/lib")
target_compile_definitions(tilescope_zstd PRIVATE ZSTD_LEGACY_SUPPORT=0 ZSTD_DISABLE_ASM)

# GoogleTest, as its package has it.
file(GLOB gtest_source /usr/src/googletest/googletest /usr/src/gtest)
list(GET gtest_source 0 gtest_source)
tilescope_web_library(tilescope_gtest "${gtest_source}/src/gtest-all.cc" "${gtest_source}/src/gtest_main.cc")
target_include_directories(tilescope_gtest SYSTEM PUBLIC "${gtest_source}/include" PRIVATE "${gtest_source}")
add_library(GTest::gtest ALIAS tilescope_gtest)
add_library(GTest::gtest_main ALIAS tilescope_gtest)
