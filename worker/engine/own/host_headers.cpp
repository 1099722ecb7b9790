#include "worker/engine/own/host_headers.h"

#include <algorithm>
#include <iterator>

namespace tilescope::worker {
namespace {

// What `using namespace std` needs.
constexpr const char* kBefore = R"(#pragma once
namespace std {}
)";

constexpr const char* kIntegerTypes = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
typedef long long intptr_t;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::uintptr_t; using ::intptr_t;
}
)";

constexpr const char* kSizes = R"(#pragma once
namespace std { using ::size_t; using ::ptrdiff_t; }
)";

// What device code may use of the C++ library is in libcu++, where that is there.
#define TILESCOPE_OF_CUDA_STD(name)                  \
  "#pragma once\n"                                   \
  "#if __has_include(<cuda/std/" name                \
  ">)\n"                                             \
  "#include <cuda/std/" name                         \
  ">\n"                                              \
  "namespace std { using namespace ::cuda::std; }\n" \
  "#endif\n"

struct HostHeader {
  std::string_view name;
  const char* text;
};
constexpr HostHeader kWithText[] = {
    {"cstdint", kIntegerTypes},
    {"stdint.h", kIntegerTypes},
    {"inttypes.h", kIntegerTypes},
    {"cinttypes", kIntegerTypes},
    {"cstddef", kSizes},
    {"stddef.h", kSizes},
    {"type_traits", TILESCOPE_OF_CUDA_STD("type_traits")},
    {"limits", TILESCOPE_OF_CUDA_STD("limits")},
    {"utility", TILESCOPE_OF_CUDA_STD("utility")},
    {"tuple", TILESCOPE_OF_CUDA_STD("tuple")},
    {"array", TILESCOPE_OF_CUDA_STD("array")},
};
#undef TILESCOPE_OF_CUDA_STD

constexpr std::string_view kEmpty[] = {
    // C++
    "algorithm", "any", "atomic", "bit", "bitset", "cassert", "cctype", "cerrno", "cfloat",
    "chrono", "climits", "cmath", "complex", "concepts", "condition_variable", "csignal", "cstdarg",
    "cstdio", "cstdlib", "cstring", "ctime", "deque", "exception", "filesystem", "forward_list",
    "fstream", "functional", "future", "initializer_list", "iomanip", "ios", "iosfwd", "iostream",
    "istream", "iterator", "list", "locale", "map", "memory", "mutex", "new", "numbers", "numeric",
    "optional", "ostream", "queue", "random", "ranges", "regex", "set", "shared_mutex", "span",
    "sstream", "stack", "stdexcept", "streambuf", "string", "string_view", "system_error", "thread",
    "typeindex", "typeinfo", "unordered_map", "unordered_set", "valarray", "variant", "vector",
    "version", "format", "print", "source_location", "execution", "bits/stdc++.h",
    // C and POSIX
    "assert.h", "ctype.h", "errno.h", "float.h", "limits.h", "math.h", "signal.h", "stdarg.h",
    "stdbool.h", "stdio.h", "stdlib.h", "string.h", "strings.h", "time.h", "unistd.h", "fcntl.h",
    "getopt.h", "libgen.h", "pthread.h", "sys/time.h", "sys/types.h", "sys/stat.h", "sys/mman.h",
    "malloc.h", "omp.h", "mpi.h", "immintrin.h",
    // CUDA's own for host code
    "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h",
    "driver_types.h", "cuda_profiler_api.h", "cudaProfiler.h", "cublas_v2.h", "cublas.h",
    "cublasLt.h", "cublasXt.h", "curand.h", "cusparse.h", "cusolverDn.h", "cufft.h", "cudnn.h",
    "nvrtc.h", "nvml.h", "nccl.h", "nvToolsExt.h", "nvtx3/nvToolsExt.h", "nvtx3/nvtx3.hpp",
    "helper_cuda.h", "helper_functions.h", "helper_timer.h", "helper_string.h", "helper_image.h",
    "thrust/device_vector.h", "thrust/host_vector.h", "gtest/gtest.h", "benchmark/benchmark.h"};

}  // namespace

std::string_view before_text() { return kBefore; }

const char* host_header(std::string_view name) {
  for (const HostHeader& header : kWithText) {
    if (name == header.name) return header.text;
  }
  return std::ranges::find(kEmpty, name) == std::end(kEmpty) ? nullptr : "#pragma once\n";
}

}  // namespace tilescope::worker
