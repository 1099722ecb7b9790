// What others may hand to the program but PTX (tests/fuzz/targets.h): bytes of a pipe, files,
// links. The fuzzer (data_fuzzer.cpp) and the test of the ordinary builds (data_test.cpp) walk this
// list.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::fuzz {

struct DataTarget {
  const char* name = nullptr;
  size_t longest = 0;  // bytes of an input
  /// Takes any bytes: true, they were read; false, refused. Throws Found where what was read
  /// contradicts itself; whatever else a reader may throw of what is damaged is caught in it.
  bool (*one_input)(std::string_view bytes) = nullptr;
  /// Whole ones, none of which it refuses (from one that is refused nothing would be tried).
  std::vector<std::string> (*seeds)() = nullptr;
};

std::vector<DataTarget> data_targets();

struct Found : std::logic_error {
  using std::logic_error::logic_error;
};

// The list's parts, by what is read, each beside its readers.
std::vector<DataTarget> protocol_targets();
std::vector<DataTarget> file_targets();
std::vector<DataTarget> store_targets();
std::vector<DataTarget> state_targets();

// What they start from: data_seeds.cpp, call_seeds.cpp.
std::vector<std::string> frame_seeds();
std::vector<std::string> call_seeds();
std::vector<std::string> sheet_seeds();
std::vector<std::string> spec_seeds();
std::vector<std::string> npy_seeds();
std::vector<std::string> lesson_seeds();
std::vector<std::string> source_seeds();
std::vector<std::string> sass_seeds();
std::vector<std::string> count_seeds();
std::vector<std::string> result_seeds();
std::vector<std::string> layer_seeds();
std::vector<std::string> proof_seeds();
std::vector<std::string> database_seeds();
std::vector<std::string> state_seeds();
std::vector<std::string> link_seeds();
std::vector<std::string> card_seeds();

}  // namespace tilescope::fuzz
