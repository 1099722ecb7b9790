# The library, for the tests beside it and for those of the window.
set(driver ${CMAKE_CURRENT_LIST_DIR})
add_library(emulated_driver MODULE ${driver}/devices.cpp ${driver}/faults.cpp ${driver}/launches.cpp
  ${driver}/memory.cpp ${driver}/modules.cpp)
target_link_libraries(emulated_driver PRIVATE tilescope_emulator Threads::Threads)
target_include_directories(emulated_driver PRIVATE ${PROJECT_SOURCE_DIR})
# Its emulator is its own, even in a process that has another.
target_link_options(emulated_driver PRIVATE -Wl,--exclude-libs,ALL)
