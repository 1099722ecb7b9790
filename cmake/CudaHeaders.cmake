# cuda.h, nvrtc.h, nvml.h and cuda_fp16.h, from the CUDA toolkit where one is installed, else from
# pinned wheels. Gives
#   tilescope_cuda_headers   INTERFACE target: those headers, and <tilescope_cuda_paths.h>
#   tilescope_cuda_paths.h   where libnvrtc, nvdisasm, libnvMatmulHeuristics and the headers that kernels
#                            include were found
# No CUDA library is ever linked: all are opened at run time, so a program built here starts on a
# machine without CUDA.
include(Wheels)
option(TILESCOPE_CUDA_WHEELS "Fetch the CUDA wheels where the toolkit lacks something" ON)

set(tilescope_wheels_list "${CMAKE_SOURCE_DIR}/tools/cuda-wheels.txt")
tilescope_wheel_folder(TILESCOPE_WHEEL_DIR cuda-wheels "${tilescope_wheels_list}")
macro(tilescope_fetch_cuda_wheels)
  tilescope_fetch_wheels("${TILESCOPE_WHEEL_DIR}" "${tilescope_wheels_list}"
    "the CUDA headers and NVRTC as wheels (97 MB)"
    "without a toolkit's NVRTC kernels cannot be compiled here, without its nvdisasm their machine \
code is not shown")
endmacro()

# The toolkit's own include folder, if there is one.
find_program(TILESCOPE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
             PATH_SUFFIXES bin)
set(tilescope_toolkit_hints $ENV{CUDA_HOME} $ENV{CUDA_PATH})
if(TILESCOPE_NVCC)
  file(REAL_PATH "${TILESCOPE_NVCC}" tilescope_nvcc_real)
  cmake_path(GET tilescope_nvcc_real PARENT_PATH tilescope_toolkit_bin)
  cmake_path(GET tilescope_toolkit_bin PARENT_PATH tilescope_toolkit_root)
  list(APPEND tilescope_toolkit_hints "${tilescope_toolkit_root}")
endif()
list(APPEND tilescope_toolkit_hints /usr/local/cuda)

# Looks in the toolkit first; fetches the wheels once when something is missing.
function(tilescope_find_header variable header)
  find_path(${variable} ${header} HINTS ${tilescope_toolkit_hints} PATH_SUFFIXES include)
  if(NOT ${variable} AND TILESCOPE_CUDA_WHEELS)
    tilescope_fetch_cuda_wheels()
    file(GLOB include_dirs "${TILESCOPE_WHEEL_DIR}/nvidia/*/include")
    find_path(${variable} ${header} HINTS ${include_dirs} NO_DEFAULT_PATH)
  endif()
endfunction()
tilescope_find_header(TILESCOPE_CUDA_H cuda.h)
tilescope_find_header(TILESCOPE_NVRTC_H nvrtc.h)
tilescope_find_header(TILESCOPE_NVML_H nvml.h)
tilescope_find_header(TILESCOPE_CUDA_FP16_H cuda_fp16.h)

# nvdisasm in the same way; a small toolkit has none.
find_program(TILESCOPE_NVDISASM nvdisasm HINTS ${tilescope_toolkit_hints} PATH_SUFFIXES bin)
if(NOT TILESCOPE_NVDISASM AND TILESCOPE_CUDA_WHEELS)
  tilescope_fetch_cuda_wheels()
  file(GLOB bin_dirs "${TILESCOPE_WHEEL_DIR}/nvidia/*/bin")
  find_program(TILESCOPE_NVDISASM nvdisasm HINTS ${bin_dirs} NO_DEFAULT_PATH)
endif()

# nvMatmulHeuristics, which no toolkit has: a second opinion on run times (worker/engine/heuristics).
set(list "${CMAKE_SOURCE_DIR}/tools/matmul-heuristics-wheel.txt")
tilescope_wheel_folder(heuristics_wheel matmul-heuristics "${list}")
if(TILESCOPE_CUDA_WHEELS)
  tilescope_fetch_wheels("${heuristics_wheel}" "${list}" "nvMatmulHeuristics as a wheel (2 MB)"
    "NVIDIA's own suggestions and predictions are not shown beside ours")
endif()

# Hints in the order in which the worker tries them; the environment comes before, the system's
# own search path after.
file(GLOB tilescope_nvrtc_hints "${TILESCOPE_WHEEL_DIR}/nvidia/*/lib")
foreach(root ${tilescope_toolkit_hints})
  foreach(folder lib64 lib targets/x86_64-linux/lib)
    file(GLOB found "${root}/${folder}/libnvrtc.so*")
    if(found)
      list(APPEND tilescope_nvrtc_hints "${root}/${folder}")
      break()
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES tilescope_nvrtc_hints)

# Nothing of the builder's home is compiled in. What lies in the cache is looked for in the one that
# this build used, which a link in its folder tells, then in that of whoever runs the program.
file(CREATE_LINK "${TILESCOPE_CACHE}" "${CMAKE_BINARY_DIR}/.tilescope-cache" SYMBOLIC)
function(tilescope_hint out folder)
  set(hint "    \"${folder}\",\n")
  string(REPLACE "\"${TILESCOPE_CACHE}/" "\"cache:" hint "${hint}")
  set(${out} "${${out}}${hint}" PARENT_SCOPE)
endfunction()
set(TILESCOPE_NVRTC_HINTS "")
foreach(folder ${tilescope_nvrtc_hints})
  tilescope_hint(TILESCOPE_NVRTC_HINTS "${folder}")
endforeach()
set(TILESCOPE_HEURISTICS_HINTS "")
file(GLOB folder "${heuristics_wheel}/nvidia/nvMatmulHeuristics/lib")
if(folder)
  tilescope_hint(TILESCOPE_HEURISTICS_HINTS "${folder}")
endif()
set(TILESCOPE_CUDA_TOOL_HINTS "")
if(TILESCOPE_NVDISASM)
  cmake_path(GET TILESCOPE_NVDISASM PARENT_PATH folder)
  tilescope_hint(TILESCOPE_CUDA_TOOL_HINTS "${folder}")
endif()
set(TILESCOPE_CUDA_INCLUDE_HINTS "")
set(tilescope_cuda_includes "")
foreach(folder TILESCOPE_CUDA_H TILESCOPE_NVRTC_H TILESCOPE_NVML_H TILESCOPE_CUDA_FP16_H)
  if(${folder})
    list(APPEND tilescope_cuda_includes "${${folder}}")
  endif()
endforeach()
list(REMOVE_DUPLICATES tilescope_cuda_includes)
foreach(folder ${tilescope_cuda_includes})
  tilescope_hint(TILESCOPE_CUDA_INCLUDE_HINTS "${folder}")
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/tilescope_cuda_paths.h.in"
               "${CMAKE_BINARY_DIR}/generated/tilescope_cuda_paths.h" @ONLY)

add_library(tilescope_cuda_headers INTERFACE)
target_include_directories(tilescope_cuda_headers SYSTEM INTERFACE ${tilescope_cuda_includes})
target_include_directories(tilescope_cuda_headers INTERFACE "${CMAKE_BINARY_DIR}/generated")
file(GLOB folder "${heuristics_wheel}/nvidia/nvMatmulHeuristics/include")
target_include_directories(tilescope_cuda_headers SYSTEM INTERFACE ${folder})
foreach(header CUDA NVRTC NVML)
  if(TILESCOPE_${header}_H)
    target_compile_definitions(tilescope_cuda_headers INTERFACE TILESCOPE_HAVE_${header}_H=1)
  else()
    message(STATUS "${header} header not found: what needs it is left out")
  endif()
endforeach()
