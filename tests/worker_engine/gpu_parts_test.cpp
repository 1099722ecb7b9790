// What of the device's code can be tested without one: statistics, sentences, the operands' change
// of places for cuBLASLt, and the worker's own GPU kernels, run in the emulator.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/model/names.h"
#include "emulator/emulator.h"
#include "engine_support.h"
#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/cublaslt.h"
#include "worker/engine/gpu/gpu.h"
#include "worker/engine/gpu/gpu_kernels.h"
#include "worker/engine/gpu/gpu_problem.h"
#include "worker/engine/gpu/nvml.h"
#include "worker/engine/gpu/statistics.h"

namespace tilescope::worker {
namespace {

TEST(Statistics, MedianAndSpread) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(spread({100, 100, 100}), 0);
  EXPECT_DOUBLE_EQ(spread({98, 99, 100, 101, 102}), 0.02);
  EXPECT_EQ(error_of_mean(std::vector<double>{5}), 1);
  EXPECT_NEAR(error_of_mean(std::vector<double>{99, 101}), 0.01, 1e-12);
}

TEST(Statistics, SamplesFarUnderTheClockAreDropped) {
  const std::vector<Sample> samples = {{10, 1980}, {10, 1965}, {14, 1400}, {10, 1980}, {11, 0}};
  EXPECT_EQ(usable_times(samples), (std::vector<double>{10, 10, 10, 11}));
}

TEST(Statistics, StopsWhenTheMeanIsKnownOrTheTimeIsUp) {
  const StoppingRule rule(1.0);
  std::vector<double> steady(9, 100.0);
  EXPECT_FALSE(rule.enough(steady, 100));  // fewer than ten never are
  steady.push_back(100.1);
  EXPECT_TRUE(rule.enough(steady, 0.01));
  std::vector<double> noisy;
  for (int i = 0; i < 12; ++i) noisy.push_back(i % 2 ? 80.0 : 120.0);
  EXPECT_FALSE(rule.enough(noisy, 0.5));
  EXPECT_TRUE(rule.enough(noisy, 1.0));
  EXPECT_GT(rule.planned(noisy), 100);
  EXPECT_EQ(rule.planned(steady), 10);
  EXPECT_LE(rule.planned(noisy), StoppingRule::kMost);
}

TEST(Statistics, ShortKernelsAreLaunchedManyTimes) {
  EXPECT_EQ(launches_per_sample(500), 1);
  EXPECT_EQ(launches_per_sample(10), 100);
  EXPECT_LE(launches_per_sample(0), 2000);
}

TEST(Sentences, NameValueLimitAndWayOut) {
  EXPECT_EQ(
      memory_sentence("NVIDIA H200", 6.0e9, 4.1e9),
      "NVIDIA H200: needs 6.0 GB, 4.1 GB free; choose a smaller problem or free memory on the "
      "card.");
  EXPECT_NE(memory_sentence("GPU", 6.04e9, 6.01e9).find("needs 6040.0 MB, 6010.0 MB free"),
            std::string::npos);
  EXPECT_NE(memory_sentence("GPU", 72e6, 1.2e9).find("no piece of 72.0 MB to be had, although 1.2"),
            std::string::npos);
  EXPECT_EQ(failure_sentence(700, "CUDA_ERROR_ILLEGAL_ADDRESS", "to wait", "mma_multistage"),
            "Kernel faulted: illegal address in mma_multistage.");
  EXPECT_NE(load_sentence("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "12.4", "NVRTC 13.0").find("12.4"),
            std::string::npos);
  for (const int sticky :
       {700, 702, 710, 714, 715, 716, 717, 718, 719, 214, 220, 226, 46, 802, 999}) {
    EXPECT_TRUE(cuda::is_sticky(sticky)) << sticky;
  }
  EXPECT_FALSE(cuda::needs_reset(226)) << "a new process is enough";
  EXPECT_NE(failure_sentence(802, "CUDA_ERROR_SYSTEM_NOT_READY", "to wait", "naive")
                .find("does not answer any more (CUDA_ERROR_SYSTEM_NOT_READY)"),
            std::string::npos);
  for (const int recoverable : {1, 2, 209, 222, 600, 701}) {
    EXPECT_FALSE(cuda::is_sticky(recoverable)) << recoverable;
  }
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(0x1), "");  // idle
  EXPECT_EQ(throttle_text(0x4 | 0x20 | 0x40), "power cap, thermal");
}

TEST(Sentences, AMissingDriverIsOneSentence) {
  setenv("TILESCOPE_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
  try {
    CudaDriver::open();
    ADD_FAILURE() << "opened";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 3);
    EXPECT_NE(error.message.find("install the driver"), std::string::npos);
    EXPECT_NE(error.message.find("emulator"), std::string::npos);
  }
  unsetenv("TILESCOPE_CUDA_DRIVER");
}

/// What a column-major library computes for a call, in double.
std::vector<double> library_result(const Problem& p, const std::vector<float>& a,
                                   const std::vector<float>& b) {
  const LibraryCall call = library_call(p);
  const auto at = [](const LibraryMatrix& m, const std::vector<float>& data, uint64_t row,
                     uint64_t col) {
    if (m.transposed) std::swap(row, col);
    EXPECT_LT(row, m.rows);
    EXPECT_LT(col, m.cols);
    return static_cast<double>(data.at(col * static_cast<uint64_t>(m.leading) + row));
  };
  std::vector<double> out(static_cast<size_t>(p.m * p.n));
  for (uint64_t row = 0; row < call.out.rows; ++row) {
    for (uint64_t col = 0; col < call.out.cols; ++col) {
      double sum = 0;
      for (uint64_t k = 0; k < static_cast<uint64_t>(p.k); ++k) {
        sum += at(call.first, call.first_of(a, b), row, k) *
               at(call.second, call.first_of(b, a), k, col);
      }
      out.at(col * static_cast<uint64_t>(call.out.leading) + row) = sum;  // as C lies in memory
    }
  }
  return out;
}

TEST(CublasLt, OperandsChangePlacesForRowMajorC) {
  for (const Order order_a : {Order::row_major, Order::column_major}) {
    for (const Order order_b : {Order::row_major, Order::column_major}) {
      Problem p;
      p.m = 5, p.n = 7, p.k = 3;
      p.order_a = order_a, p.order_b = order_b;
      std::vector<float> a(15), b(21);
      const DataSpec data{DataSpec::Kind::exact, 3};
      for (size_t i = 0; i < a.size(); ++i) a[i] = operand_value(data, Operand::a, i);
      for (size_t i = 0; i < b.size(); ++i) b[i] = operand_value(data, Operand::b, i);
      std::vector<double> expected(35);
      reference({&p, reinterpret_cast<std::byte*>(a.data()), reinterpret_cast<std::byte*>(b.data()),
                 nullptr},
                whole_of(p, Operand::c), expected);
      EXPECT_EQ(library_result(p, a, b), expected);
    }
  }
}

/// The worker's own kernels in the emulator.
class GpuKernels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto compiled = test_compiler().compile(SourceRequest{kGpuKernelsSource, {}, "sm_90"});
    auto parsed = emulator::Program::parse(compiled->result.ptx);
    if (auto* program = std::get_if<0>(&parsed)) {
      program_ = *program;
    } else {
      ADD_FAILURE() << std::get<1>(parsed).front().message;
    }
  }
  static void TearDownTestSuite() { program_.reset(); }
  void SetUp() override { ASSERT_TRUE(program_); }

  template <class Parameters>
  void run(const char* entry, unsigned blocks, const Parameters& parameters) {
    emulator::Launch launch;
    launch.grid = {blocks, 1, 1};
    launch.block = {256, 1, 1};
    launch.parameters.resize(sizeof parameters);
    std::memcpy(launch.parameters.data(), &parameters, sizeof parameters);
    const auto result = emulator::run(*program_, entry, launch, memory_);
    EXPECT_FALSE(result.fault) << result.fault->message;
  }
  uint64_t filled(const Problem& p, Operand o, const DataSpec& data) {
    const uint64_t buffer =
        memory_.allocate("operand", static_cast<uint64_t>(operand_buffer_bytes(p, o)));
    GpuFill f;
    f.to = buffer;
    f.count = static_cast<uint64_t>(operand_buffer_bytes(p, o) / element_bytes(operand_type(p, o)));
    f.seed_mixed = operand_seed(data, o);
    f.type = static_cast<int>(operand_type(p, o));
    f.exact = data.kind == DataSpec::Kind::exact;
    run("ts_fill", 2, f);
    return buffer;
  }

  static std::shared_ptr<const emulator::Program> program_;
  emulator::Memory memory_;
};
std::shared_ptr<const emulator::Program> GpuKernels::program_;

TEST_F(GpuKernels, FillEqualsTheHosts) {
  for (const ElementType type : model::matrix_types()) {
    for (const auto kind : {DataSpec::Kind::random, DataSpec::Kind::exact}) {
      Problem p;
      p.m = 37, p.k = 50, p.type_a = type;
      const DataSpec data{kind, 12345678901ull};
      const auto on_gpu = memory_.bytes(filled(p, Operand::a, data));
      std::vector<std::byte> on_host(on_gpu.size());
      fill_operand(p, Operand::a, data, whole_of(p, Operand::a), on_host, 1);
      EXPECT_EQ(std::memcmp(on_gpu.data(), on_host.data(), on_host.size()), 0);
    }
  }
}

TEST_F(GpuKernels, ReferenceAndComparisonEqualTheHosts) {
  for (const Order order_a : {Order::row_major, Order::column_major}) {
    for (const Order order_b : {Order::row_major, Order::column_major}) {
      Problem p;
      p.m = 70, p.n = 90, p.k = 37;
      p.type_a = p.type_b = ElementType::f16;
      p.order_a = order_a, p.order_b = order_b;
      p.lda = 77, p.ldb = 95, p.ldc = 93;  // lines lie apart, and begin behind the buffers' starts
      p.offset_a = 3, p.offset_b = 8, p.offset_c = 5;
      p.alpha = 1.5f, p.beta = -0.5f, p.bias = true;
      const DataSpec data{DataSpec::Kind::random, 7};
      const uint64_t a = filled(p, Operand::a, data), b = filled(p, Operand::b, data);
      const uint64_t c = filled(p, Operand::c, data);
      const uint64_t bias = memory_.allocate("bias", static_cast<uint64_t>(bias_bytes(p)));
      fill_bias(p, data, memory_.bytes(bias));
      const uint64_t out = memory_.allocate("reference", 8ull * 70 * 90);
      GpuReference r;
      r.a = gpu_matrix(p, Operand::a, a), r.b = gpu_matrix(p, Operand::b, b);
      r.c = gpu_matrix(p, Operand::c, c), r.out = out;
      r.m = p.m, r.n = p.n, r.k = p.k;
      r.alpha = p.alpha, r.beta = p.beta;
      r.bias = bias, r.bias_type = static_cast<int>(p.type_c);
      run("ts_reference", 4, r);
      std::vector<double> expected(70 * 90), found(70 * 90);
      reference({&p, memory_.bytes(a).data(), memory_.bytes(b).data(), memory_.bytes(c).data(),
                 memory_.bytes(bias).data()},
                whole_of(p, Operand::c), expected);
      std::memcpy(found.data(), memory_.bytes(out).data(), found.size() * 8);
      for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12);

      // C itself is a wrong result; with what is no number in it, it is none at all.
      for (const bool with_nan : {false, true}) {
        auto* elements = reinterpret_cast<float*>(memory_.bytes(c).data());
        if (with_nan) {
          elements[5 + 33 * 93 + 44] = std::numeric_limits<float>::quiet_NaN();
          elements[5 + 33 * 93 + 45] = -std::numeric_limits<float>::infinity();
          fill_untouched(ElementType::f32,
                         std::as_writable_bytes(std::span(elements + 5 + 34 * 93, 17)));
        }
        GpuCompare compare;
        compare.reference = out, compare.out = gpu_matrix(p, Operand::c, c);
        compare.count = found.size(), compare.n = p.n;
        compare.most = most_difference(1e-5, 1);
        compare.untouched = untouched_word(ElementType::f32);
        compare.partials = memory_.allocate("partials", 3 * sizeof(GpuPartial));
        run("ts_compare", 3, compare);
        GpuPartial partials[3];
        std::memcpy(partials, memory_.bytes(compare.partials).data(), sizeof partials);
        ComparedSums on_gpu;
        Comparison on_host(compare.most);
        for (const GpuPartial& part : partials) on_gpu.add(compared_sums(part, p.n));
        on_gpu.elements = compare.count;
        on_host.add(p, whole_of(p, Operand::c), expected, memory_.bytes(c).data());
        const Verification gpu = verdict(on_gpu, 1e-5, 1), host = on_host.result(1e-5, 1);
        EXPECT_FALSE(gpu.ok);
        EXPECT_EQ(gpu.worst_row, host.worst_row);
        EXPECT_EQ(gpu.worst_col, host.worst_col);
        EXPECT_EQ(gpu.first_row, host.first_row);
        EXPECT_EQ(gpu.first_col, host.first_col);
        EXPECT_EQ(gpu.none, host.none);
        EXPECT_EQ(gpu.none.untouched, with_nan ? 17u : 0u);
        EXPECT_EQ(gpu.elements, host.elements);
        EXPECT_EQ(std::isnan(gpu.norm), with_nan);
        if (!with_nan) {
          EXPECT_NEAR(gpu.norm, host.norm, 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilescope::worker
