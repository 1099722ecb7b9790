// fuzz_data with TILESCOPE_FUZZ_TARGET=NAME of data_targets(): libFuzzer's, with mutations that
// keep JSON JSON.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "data_target.h"
#include "mutate.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

tilescope::fuzz::DataTarget target;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* asked = std::getenv("TILESCOPE_FUZZ_TARGET");
  for (const auto& one : tilescope::fuzz::data_targets()) {
    if (asked && std::strcmp(asked, one.name) == 0) target = one;
  }
  if (target.one_input) return 0;
  std::fprintf(stderr, "TILESCOPE_FUZZ_TARGET is none of");
  for (const auto& one : tilescope::fuzz::data_targets()) std::fprintf(stderr, " %s", one.name);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)target.one_input({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 3 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text =
      tilescope::fuzz::mutated({reinterpret_cast<const char*>(data), size}, max_size, random);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
