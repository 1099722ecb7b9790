// What others may hand to the program but PTX (tests/fuzz/targets.h): bytes of a pipe, files,
// links. The fuzzer (data_fuzzer.cpp) and the test of the ordinary builds (data_test.cpp) walk this
// list.
#pragma once
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::fuzz {

struct DataTarget {
  const char* name;
  size_t longest;  // bytes of an input
  /// Takes any bytes. Throws Found where what was read contradicts itself; whatever else a reader
  /// may throw of what is damaged is caught in it.
  void (*one_input)(std::string_view bytes);
  /// Whole ones, which it takes.
  std::vector<std::string> (*seeds)();
};

std::span<const DataTarget> data_targets();

struct Found : std::logic_error {
  using std::logic_error::logic_error;
};

// The list's functions, by what is read.
void read_frames(std::string_view bytes);       // protocol_targets.cpp
void read_call(std::string_view bytes);         //
void read_one_sheet(std::string_view bytes);    // file_targets.cpp
void read_one_spec(std::string_view bytes);     //
void read_npy(std::string_view bytes);          //
void read_lesson(std::string_view bytes);       //
void read_source(std::string_view bytes);       //
void read_sass(std::string_view bytes);         //
void read_counts(std::string_view bytes);       //
void read_result_line(std::string_view bytes);  // store_targets.cpp
void read_layer_line(std::string_view bytes);   //
void read_proof_line(std::string_view bytes);   //
void read_database(std::string_view bytes);     //
void read_state(std::string_view bytes);        // state_targets.cpp
void read_link(std::string_view bytes);         //
void read_cards(std::string_view bytes);        //

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
