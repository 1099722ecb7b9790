// The emulated driver by itself: it behaves as the real one does where the worker relies on it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {
namespace {

using cuda::Result;

// value → *out; at "never_ends" the driver is asked to hang.
const char* const kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 out, .param .u32 value) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry never_ends() { ret; }
.visible .entry traps() { trap; ret; }
)";

/// The driver in this process; each test works on a card of its own, since faults stay.
const cuda::Functions& driver() {
  static const auto* opened = [] {
    setenv("TILESCOPE_CUDA_DRIVER", TILESCOPE_TEST_DRIVER, 1);
    setenv("TILESCOPE_EMULATED_DEVICES", "7", 1);
    setenv("TILESCOPE_EMULATED_MEMORY", "1000000", 1);
    setenv("TILESCOPE_EMULATED_FAULT", "hang:never_ends,out_of_memory@4:2,lost@5:1", 1);
    return new auto(CudaDriver::open());  // fails if an entry point is missing
  }();
  return (*opened)->call();
}

struct Loaded {
  cuda::Stream stream = nullptr;
  cuda::Module module = nullptr;
  explicit Loaded(int device) {
    cuda::Context context = nullptr;
    EXPECT_EQ(driver().primary_retain(&context, device), 0);
    EXPECT_EQ(driver().context_set(context), 0);
    EXPECT_EQ(driver().stream_create(&stream, 1), 0);
    EXPECT_EQ(driver().module_load(&module, kPtx), 0);
  }
  cuda::Function function(const char* name) const {
    cuda::Function f = nullptr;
    EXPECT_EQ(driver().module_function(&f, module, name), 0);
    return f;
  }
  Result store(cuda::DevicePointer to, uint32_t value) const {
    void* parameters[] = {&to, &value};
    return launch("store", parameters);
  }
  Result launch(const char* name, void** parameters = nullptr) const {
    return driver().launch(function(name), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
  }
  Result synchronize() const { return driver().stream_synchronize(stream); }
};

TEST(Driver, MemoryIsGivenBackAndCounted) {
  const Loaded card(0);
  const auto free_bytes = [] {
    size_t free = 0, total = 0;
    EXPECT_EQ(driver().memory_info(&free, &total), 0);
    EXPECT_EQ(total, 1000000u);
    return free;
  };
  const size_t before = free_bytes();
  cuda::DevicePointer a = 0, b = 0;
  ASSERT_EQ(driver().allocate(&a, 600000), 0);
  EXPECT_LE(free_bytes(), before - 600000);
  EXPECT_EQ(driver().allocate(&b, 600000), cuda::kOutOfMemory);
  ASSERT_EQ(driver().free(a), 0);
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(driver().free(a), cuda::kInvalidValue) << "freed twice";
  ASSERT_EQ(driver().allocate(&b, 600000), 0);
  uint32_t word = 0;
  EXPECT_EQ(driver().copy_to_host(&word, a, 4), cuda::kInvalidValue) << "a pointer to freed memory";
  EXPECT_EQ(driver().copy_to_host(&word, b + 599998, 4), cuda::kInvalidValue) << "beyond the end";
  EXPECT_EQ(driver().copy_to_host(&word, b, 4), 0);
  EXPECT_NE(word, 0u) << "fresh memory is not zeroed on a GPU either";
  EXPECT_EQ(driver().free(b), 0);
}

TEST(Driver, MoreAllocationsThanTheEmulatorHasBuffers) {
  const Loaded card(0);
  cuda::DevicePointer kept = 0;
  ASSERT_EQ(driver().allocate(&kept, 4), 0);
  for (int i = 0; i < 5000; ++i) {
    cuda::DevicePointer p = 0;
    ASSERT_EQ(driver().allocate(&p, 4), 0) << i;
    ASSERT_NE(p, kept);
    ASSERT_EQ(driver().set_words(p, 7, 1, card.stream), 0);
    ASSERT_EQ(driver().free(p), 0);
  }
  ASSERT_EQ(card.store(kept, 42), 0);
  ASSERT_EQ(card.synchronize(), 0);
  uint32_t word = 0;
  ASSERT_EQ(driver().copy_to_host(&word, kept, 4), 0);
  EXPECT_EQ(word, 42u);
}

TEST(Driver, AnEventIsReadyWhenItsWorkIsDone) {
  const Loaded card(1);
  cuda::Event start = nullptr, end = nullptr, after = nullptr;
  for (cuda::Event* event : {&start, &end, &after}) {
    ASSERT_EQ(driver().event_create(event, 0), 0);
  }
  cuda::DevicePointer word = 0;
  ASSERT_EQ(driver().allocate(&word, 4), 0);
  ASSERT_EQ(driver().event_record(start, card.stream), 0);
  ASSERT_EQ(card.store(word, 1), 0);
  ASSERT_EQ(driver().event_record(end, card.stream), 0);
  ASSERT_EQ(card.synchronize(), 0);
  EXPECT_EQ(driver().event_query(end), 0);
  float ms = 0;
  EXPECT_EQ(driver().event_elapsed(&ms, start, end), 0);
  EXPECT_GT(ms, 0);
  // Behind a kernel that does not end, nothing is ever ready; the other stream goes on.
  ASSERT_EQ(card.launch("never_ends"), 0) << "a launch does not wait";
  ASSERT_EQ(driver().event_record(after, card.stream), 0);
  EXPECT_EQ(driver().event_query(after), cuda::kNotReady);
  EXPECT_EQ(driver().event_elapsed(&ms, end, after), cuda::kNotReady);
  uint32_t value = 0;
  EXPECT_EQ(driver().copy_to_host(&value, word, 4), 0);
  EXPECT_EQ(value, 1u);
}

// As long as it answers: whoever hears nothing for minutes ends the process.
TEST(Gpu, WhoWaitsForAKernelHearsOfIt) {
  struct Enough {};
  const Loaded loaded(6);
  Gpu gpu(6);
  int told = 0;
  gpu.tell_waiting([&] {
    if (++told == 2) throw Enough();
  });
  ASSERT_EQ(driver().launch(loaded.function("never_ends"), 1, 1, 1, 1, 1, 1, 0, gpu.stream(),
                            nullptr, nullptr),
            0);
  EXPECT_THROW(gpu.synchronize("never_ends"), Enough);
  EXPECT_EQ(told, 2);
}

TEST(Driver, AFaultAppearsLaterAndStays) {
  const Loaded card(2);
  cuda::DevicePointer word = 0;
  ASSERT_EQ(driver().allocate(&word, 4), 0);
  EXPECT_EQ(card.store(word + 4, 1), 0) << "the launch itself is well";
  EXPECT_EQ(card.synchronize(), cuda::kIllegalAddress);
  EXPECT_EQ(driver().free(word), cuda::kIllegalAddress);
  EXPECT_EQ(driver().allocate(&word, 4), cuda::kIllegalAddress);
  cuda::Context context = nullptr;
  EXPECT_EQ(driver().primary_retain(&context, 2), cuda::kIllegalAddress);
}

TEST(Driver, ATrapIsALaunchFailure) {
  const Loaded card(3);
  EXPECT_EQ(card.launch("traps"), 0);
  EXPECT_EQ(card.synchronize(), cuda::kLaunchFailed);
}

TEST(Driver, FaultsOnDemand) {
  const Loaded fourth(4);
  cuda::DevicePointer p = 0;
  EXPECT_EQ(driver().allocate(&p, 4), 0);
  EXPECT_EQ(driver().allocate(&p, 4), cuda::kOutOfMemory);
  EXPECT_EQ(driver().allocate(&p, 4), 0) << "which is no lasting state";
  const Loaded fifth(5);
  ASSERT_EQ(driver().allocate(&p, 4), 0);
  EXPECT_EQ(fifth.store(p, 1), 0);
  EXPECT_EQ(fifth.synchronize(), 0);
  EXPECT_EQ(fifth.store(p, 1), 0);
  EXPECT_EQ(fifth.synchronize(), cuda::kDeviceUnavailable);
  EXPECT_EQ(driver().allocate(&p, 4), cuda::kDeviceUnavailable) << "to each call from then on";
}

TEST(Driver, RefusesWhatARealOneRefuses) {
  const Loaded card(0);
  EXPECT_EQ(driver().launch(card.function("traps"), 1, 1, 1, 2048, 1, 1, 0, card.stream, nullptr,
                            nullptr),
            cuda::kInvalidValue)
      << "threads";
  EXPECT_EQ(driver().launch(card.function("traps"), 1, 1, 1, 1, 1, 1, 100 << 10, card.stream,
                            nullptr, nullptr),
            cuda::kInvalidValue)
      << "shared memory that was not asked for";
  cuda::Module module = nullptr;
  std::string ptx = kPtx;
  ptx.replace(ptx.find("sm_75"), 5, "sm_99");
  EXPECT_EQ(driver().module_load(&module, ptx.c_str()), 0);
  ptx.replace(ptx.find("sm_99"), 5, "sm_90a");
  EXPECT_EQ(driver().module_load(&module, ptx.c_str()), cuda::kNoBinaryForGpu);
  EXPECT_EQ(driver().module_load(&module,
                                 "\x7f"
                                 "ELF cubin"),
            cuda::kNoBinaryForGpu);
  EXPECT_EQ(driver().module_load(&module, ".version 42.0\n.target sm_75\n"),
            cuda::kUnsupportedPtxVersion);
}

}  // namespace
}  // namespace tilescope::worker
