// The text of the program around an exported kernel (exported_source.h). @KERNEL@ is replaced by
// the name of the struct that makes its plan.
#pragma once

namespace tilescope::worker {

inline constexpr char kStandaloneMain[] = R"cu(
// ---- Launch, verify, measure
using namespace tilescope;

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t error = (call);                                                       \
    if (error != cudaSuccess) {                                                             \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                    \
                   cudaGetErrorString(error));                                              \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__nv_fp8_interpretation_t fp8_kind(ElementType type) {
  return type == ElementType::e4m3 ? __NV_E4M3 : __NV_E5M2;
}
void put(ElementType type, std::vector<unsigned char>& buffer, long long byte, float value) {
  if (type == ElementType::f32) {
    *reinterpret_cast<float*>(&buffer[byte]) = value;
  } else if (type == ElementType::f16) {
    *reinterpret_cast<__half*>(&buffer[byte]) = __float2half(value);
  } else if (element_bytes(type) == 1) {
    buffer[byte] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, fp8_kind(type));
  } else {
    *reinterpret_cast<__nv_bfloat16*>(&buffer[byte]) = __float2bfloat16(value);
  }
}
double get(ElementType type, const std::vector<unsigned char>& buffer, long long byte) {
  if (type == ElementType::f32) return *reinterpret_cast<const float*>(&buffer[byte]);
  if (type == ElementType::f16) {
    return __half2float(*reinterpret_cast<const __half*>(&buffer[byte]));
  }
  if (element_bytes(type) == 1) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(buffer[byte], fp8_kind(type))));
  }
  return __bfloat162float(*reinterpret_cast<const __nv_bfloat16*>(&buffer[byte]));
}

/// An operand in host and device memory, random numbers from -1 to 1.
struct Matrix {
  Operand operand;
  std::vector<unsigned char> host;
  void* device = nullptr;

  explicit Matrix(Operand o) : operand(o), host(operand_buffer_bytes(kProblem, o)) {
    unsigned state = 12345u + 99u * static_cast<unsigned>(o);
    for (int row = 0; row < operand_rows(kProblem, o); ++row) {
      for (int col = 0; col < operand_cols(kProblem, o); ++col) {
        state = state * 1664525u + 1013904223u;
        put(type(), host, global_offset(kProblem, o, {row, col}), (state >> 8) * 0x1p-23f - 1);
      }
    }
    CHECK(cudaMalloc(&device, host.size()));
    CHECK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
  }
  ElementType type() const { return operand_type(kProblem, operand); }
  double at(int row, int col) const {
    return get(type(), host, global_offset(kProblem, operand, {row, col}));
  }
  unsigned long long address() const { return reinterpret_cast<unsigned long long>(device); }
};
struct BiasValues {
  std::vector<unsigned char> host;
  void* device = nullptr;

  BiasValues() : host(bias_bytes(kProblem)) {
    if (!kProblem.bias) return;
    for (int col = 0; col < kProblem.n; ++col) {
      put(kProblem.type_c, host, bias_offset(kProblem, {0, col}), col % 17 / 8.0 - 1);
    }
    CHECK(cudaMalloc(&device, host.size()));
    CHECK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
  }
  double at(int row, int col) const {
    return kProblem.bias ? get(kProblem.type_c, host, bias_offset(kProblem, {row, col})) : 0;
  }
  unsigned long long address() const { return reinterpret_cast<unsigned long long>(device); }
};

@MAP@int main() {
  int card = 0, sms = 0;
  CHECK(cudaGetDevice(&card));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, card));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, card));
  KernelPlan plan = @KERNEL@::tile_plan(kTile, kSpec);
  set_work(plan, kTile, kProblem, sms);
  const Launch launch = launch_of(plan);

  Matrix a(Operand::a), b(Operand::b), c(Operand::c);
  BiasValues bias;
  void* workspace = nullptr;
  if (launch.workspace_bytes > 0) {
    CHECK(cudaMalloc(&workspace, launch.workspace_bytes));
    CHECK(cudaMemset(workspace, 0, launch.workspace_bytes));
  }
  const BufferAddresses given{a.address(), b.address(), c.address(),
                              reinterpret_cast<unsigned long long>(workspace), bias.address()};
@MAKE_ARGS@@MAKE_MORE@@MAKE_MAPS@  CHECK(cudaFuncSetAttribute(tilescope_gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             launch.shared_bytes));
  const dim3 grid(launch.grid_x, launch.grid_y, launch.grid_z);
  const auto run = [&] {
@PACK@    tilescope_gemm<<<grid, launch.threads, launch.shared_bytes>>>(args@MORE@);
    CHECK(cudaGetLastError());
  };

  // Verify: some thousand elements all over C, against double precision.
  run();
  CHECK(cudaDeviceSynchronize());
  Matrix before(Operand::c);
  CHECK(cudaMemcpy(c.host.data(), c.device, c.host.size(), cudaMemcpyDeviceToHost));
  // Of operands of eight bits tensor cores keep 13 bits behind the point.
  const double unit = element_bytes(a.type()) == 1     ? 0x1p-14
                      : c.type() == ElementType::f32   ? 0x1p-22
                      : c.type() == ElementType::f16 ? 0x1p-10
                                                     : 0x1p-7;
  const int m = kProblem.m, n = kProblem.n, k = kProblem.k;
  long long checked = 0, wrong = 0;
  double worst = 0;
  for (int row = 0; row < m; row += std::max(1, m / 61)) {
    for (int col = 0; col < n; col += std::max(1, n / 59)) {
      double sum = 0, size = 0;
      for (int i = 0; i < k; ++i) {
        const double product = a.at(row, i) * b.at(i, col);
        sum += product;
        size += product * product;
      }
      const double old = kProblem.beta != 0 ? kProblem.beta * before.at(row, col) : 0;
      const double expected = kProblem.alpha * sum + old + bias.at(row, col);
      const double error = std::fabs(c.at(row, col) - expected);
      // Rounding errors of a sum grow like the root of its length.
      const double allowed =
          unit * (8 * std::fabs(kProblem.alpha) * std::sqrt(size * k) + std::fabs(expected)) + 1e-30;
      worst = std::max(worst, error / allowed);
      wrong += !(error <= allowed);
      ++checked;
    }
  }
  std::printf("%lld elements compared with double precision: %lld wrong, worst error %.2f of what "
              "rounding allows\n", checked, wrong, worst);

  // Measure: the median of 20 launches, after a few to warm up.
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 23; ++i) {
    float ms = 0;
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 3) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  const double ms = times[times.size() / 2];
  std::printf("%s: %d x %d x %d, grid %d x %d x %d of %d threads: %.4f ms, %.3f TFLOPS\n",
              properties.name, m, n, k, launch.grid_x, launch.grid_y, launch.grid_z, launch.threads,
              ms, flops(kProblem) / ms * 1e-9);
  return wrong == 0 ? 0 : 1;
}
)cu";

/// @MAKE_ARGS@ and @PACK@ of a kernel that reads its operands as they were given.
inline constexpr char kStandaloneArgs[] = R"cu(  const @ARGS@ args = make_args(kProblem, given);
)cu";

/// Of a kernel that takes tensor maps.
inline constexpr char kStandaloneMap[] =
    R"cu(/// The driver's own tensor map of an operand; no library is needed, it is asked for by name.
TensorMap make_map(const TensorBox& box, unsigned long long address) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static Encode encode = nullptr;
  if (encode == nullptr) {
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                           reinterpret_cast<void**>(&encode), 12000,
                                           cudaEnableDefault, &found));
  }
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(box.extents[0]),
                                static_cast<cuuint64_t>(box.extents[1])};
  const cuuint64_t pitch[] = {static_cast<cuuint64_t>(box.pitch_bytes)};
  const cuuint32_t sides[] = {static_cast<cuuint32_t>(box.box[0]),
                              static_cast<cuuint32_t>(box.box[1])};
  const cuuint32_t steps[] = {1, 1};
  const CUtensorMapSwizzle swizzle = box.swizzle == Swizzle::b128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : box.swizzle == Swizzle::b64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : box.swizzle == Swizzle::b32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                                   : CU_TENSOR_MAP_SWIZZLE_NONE;
  const CUtensorMapDataType type = box.type == ElementType::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                   : box.type == ElementType::f32
                                       ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                   : element_bytes(box.type) == 1
                                       ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  alignas(128) CUtensorMap made;
  const CUresult result =
      encode(&made, type, 2, reinterpret_cast<void*>(address), extents, pitch, sides, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", static_cast<int>(result));
    std::exit(1);
  }
  TensorMap map;
  memcpy(&map, &made, sizeof map);
  return map;
}

)cu";
inline constexpr char kStandaloneMaps[] = R"cu(  TensorMaps maps;
  const auto map = [&plan](Operand o, TensorMap& to, unsigned long long address) {
    if (has_tensor_map(plan, o)) to = make_map(tensor_box(plan, kProblem, o), address);
  };
  map(Operand::a, maps.a, args.a);
  map(Operand::b, maps.b, args.b);
  map(Operand::c, maps.c, args.c);
)cu";

/// And of one whose operands a pass packs before.
inline constexpr char kStandalonePackedArgs[] =
    R"cu(  // Packed operands lie beside those that were given; the kernel reads them.
  BufferAddresses read = given;
  const auto make_room = [&plan](Operand o, unsigned long long& address) {
    if (!packs(plan.spec, o)) return;
    void* room = nullptr;
    CHECK(cudaMalloc(&room, packing_of(plan, kProblem, o).bytes()));
    address = reinterpret_cast<unsigned long long>(room);
  };
  make_room(Operand::a, read.a), make_room(Operand::b, read.b);
  const PackArgs pack_args = make_pack_args(plan, kProblem, given, read);
  const Launch pack = pack_launch(plan, kProblem);
  const @ARGS@ args = make_args(problem_read(plan, kProblem), read);
)cu";
inline constexpr char kStandalonePack[] =
    R"cu(    tilescope_pack<<<dim3(pack.grid_x, pack.grid_y), pack.threads>>>(pack_args);
)cu";

}  // namespace tilescope::worker
