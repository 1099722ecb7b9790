# The libraries, for the tests beside them and for those of the window.
set(driver ${CMAKE_CURRENT_LIST_DIR})
add_library(emulated_driver MODULE ${driver}/devices.cpp ${driver}/faults.cpp ${driver}/launches.cpp
  ${driver}/memory.cpp ${driver}/modules.cpp ${driver}/tensor_maps.cpp)
target_link_libraries(emulated_driver PRIVATE tilescope_emulator Threads::Threads)
target_include_directories(emulated_driver PRIVATE ${PROJECT_SOURCE_DIR})
# Its emulator is its own, even in a process that has another.
target_link_options(emulated_driver PRIVATE -Wl,--exclude-libs,ALL)
# An NCCL between its cards that checks its calls.
add_library(fake_nccl MODULE ${driver}/fake_nccl.cpp ${driver}/faults.cpp)
target_link_libraries(fake_nccl PRIVATE tilescope_emulator Threads::Threads ${CMAKE_DL_LIBS})
target_include_directories(fake_nccl PRIVATE ${PROJECT_SOURCE_DIR})
target_link_options(fake_nccl PRIVATE -Wl,--exclude-libs,ALL)
