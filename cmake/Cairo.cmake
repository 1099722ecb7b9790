# tilescope_cairo: what draws files, and the fonts that it finds (fontconfig).
find_package(PkgConfig REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-svg cairo-pdf)
pkg_check_modules(CAIRO_USES REQUIRED IMPORTED_TARGET pixman-1 fontconfig freetype2 libpng zlib)
add_library(tilescope_cairo INTERFACE)

# As a shared library it wants X11's, which files need not. Its archive, where there is one, has no part
# of X11 that is asked for.
find_library(TILESCOPE_CAIRO_ARCHIVE libcairo.a)
if(TILESCOPE_CAIRO_ARCHIVE)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${CAIRO_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${TILESCOPE_CAIRO_ARCHIVE} PkgConfig::CAIRO_USES m Threads::Threads)
  check_cxx_source_compiles("#include <cairo-pdf.h>
    #include <cairo-svg.h>
    int main() {
      cairo_surface_write_to_png(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1), \"\");
      return cairo_svg_surface_create(\"\", 1, 1) == cairo_pdf_surface_create(\"\", 1, 1);
    }" TILESCOPE_CAIRO_ARCHIVE_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(TILESCOPE_CAIRO_ARCHIVE_LINKS)
  target_include_directories(tilescope_cairo SYSTEM INTERFACE ${CAIRO_INCLUDE_DIRS})
  target_link_libraries(tilescope_cairo INTERFACE
    ${TILESCOPE_CAIRO_ARCHIVE} PkgConfig::CAIRO_USES m Threads::Threads)
else()
  target_link_libraries(tilescope_cairo INTERFACE PkgConfig::CAIRO PkgConfig::CAIRO_USES)
endif()
