#include "worker/engine/own/host_headers.h"

#include <algorithm>
#include <iterator>

namespace tilescope::worker {
namespace {

// What `using namespace std` needs, and the short names that the host's headers give everybody.
constexpr const char* kBefore = R"(#pragma once
namespace std {}
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
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

constexpr const char* kLimits = R"(#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#endif
)";

constexpr const char* kFloat = R"(#pragma once
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
)";

// The functions themselves are built in.
constexpr const char* kMath = R"(#pragma once
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#endif
#ifdef __CUDACC_RTC__
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::exp; using ::log; using ::pow; using ::sin;
using ::cos; using ::tan; using ::tanh; using ::floor; using ::ceil; using ::fmin; using ::fmax;
using ::fma; using ::round; using ::exp2; using ::log2;
}
#endif
)";

constexpr const char* kAlgorithm = R"(#pragma once
namespace std {
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T> __host__ __device__ constexpr void swap(T& a, T& b) {
  T c = a;
  a = b;
  b = c;
}
}
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
    {"climits", kLimits},
    {"limits.h", kLimits},
    {"cfloat", kFloat},
    {"float.h", kFloat},
    {"cmath", kMath},
    {"math.h", kMath},
    {"algorithm", kAlgorithm},
    {"type_traits", TILESCOPE_OF_CUDA_STD("type_traits")},
    {"limits", TILESCOPE_OF_CUDA_STD("limits")},
    {"utility", TILESCOPE_OF_CUDA_STD("utility")},
    {"tuple", TILESCOPE_OF_CUDA_STD("tuple")},
    {"array", TILESCOPE_OF_CUDA_STD("array")},
};
#undef TILESCOPE_OF_CUDA_STD

constexpr std::string_view kEmpty[] = {
    // C++
    "any", "atomic", "bit", "bitset", "cassert", "cctype", "cerrno", "chrono", "complex",
    "concepts", "condition_variable", "csignal", "cstdarg", "cstdio", "cstdlib", "cstring", "ctime",
    "deque", "exception", "filesystem", "forward_list", "fstream", "functional", "future",
    "initializer_list", "iomanip", "ios", "iosfwd", "iostream", "istream", "iterator", "list",
    "locale", "map", "memory", "mutex", "new", "numbers", "numeric", "optional", "ostream", "queue",
    "random", "ranges", "regex", "set", "shared_mutex", "span", "sstream", "stack", "stdexcept",
    "streambuf", "string", "string_view", "system_error", "thread", "typeindex", "typeinfo",
    "unordered_map", "unordered_set", "valarray", "variant", "vector", "version", "format", "print",
    "source_location", "execution", "bits/stdc++.h",
    // C and POSIX
    "assert.h", "ctype.h", "errno.h", "signal.h", "stdarg.h", "stdbool.h", "stdio.h", "stdlib.h",
    "string.h", "strings.h", "time.h", "unistd.h", "fcntl.h", "getopt.h", "libgen.h", "pthread.h",
    "sys/time.h", "sys/types.h", "sys/stat.h", "sys/mman.h", "malloc.h", "omp.h", "mpi.h",
    "immintrin.h",
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
