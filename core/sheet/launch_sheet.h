// A launch sheet: how a kernel is launched and what it is given. Kept beside the kernel's file as
// NAME.sheet.json.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/sheet/sheet_expectation.h"
#include "core/sheet/signature.h"

namespace tilescope::sheet {

/// The launch computes C = alpha · A·B + beta · C, and C is to be compared with that.
struct GemmSheet {
  int a = 0, b = 1, c = 2;    // arguments, from 0
  int m = 0, n = 0, k = 0;    // A [m, k], B [k, n], C [m, n]
  std::string layout = "TT";  // of A, then B: N = column-major, T = row-major, as cuBLAS counts
  bool column_c = false;      // C column-major
  std::optional<int> alpha = {}, beta = {};  // arguments; without them 1 and 0
  bool operator==(const GemmSheet&) const = default;
};

struct LaunchSheet {
  std::string entry;                  // a name that the file's kernels are found by
  std::optional<Extent> grid, block;  // left out: still to be said
  uint32_t shared = 0;                // bytes of dynamic shared memory
  std::vector<std::string> args;      // SPECs (argument_spec.h), in the order of the parameters
  std::optional<GemmSheet> gemm = {};
  std::optional<Expectation> expect = {};  // beside gemm, or without
  std::optional<Extent> cluster = {};      // CTAs of a cluster; left out: as the kernel says
  /// What nobody has said: "grid", "block", "cluster", "shared", "args[0]". Empty where a person
  /// has written or confirmed all of it.
  std::vector<std::string> guesses = {};
  bool operator==(const LaunchSheet&) const = default;
};

/// Puts a whole path in the place of each file that the sheet names: in SPECs, and what is
/// expected. What is no SPEC stays for who checks it.
void name_files(LaunchSheet& sheet, const std::function<std::string(const std::string&)>& whole);
/// The same for files that lie in `folder`.
void name_files_in(LaunchSheet& sheet, const std::string& folder);

/// Without the files that may not stay: their SPECs become empty, which is a fault that the person
/// mends; what they are expected to hold, or to do, is left out. The names of those, as they stood.
std::vector<std::string> leave_out_files(LaunchSheet& sheet,
                                         const std::function<bool(const std::string&)>& may_stay);

/// Limits of a launch, of every card since Kepler.
inline constexpr Extent kMostGrid{2147483647, 65535, 65535};
inline constexpr Extent kMostBlock{1024, 1024, 64};
inline constexpr uint32_t kMostThreads = 1024;
inline constexpr uint32_t kMostCtasOfCluster = 8;  // of every card that has clusters
inline constexpr uint32_t kMostShared = 232448;    // bytes, of sm_90
inline constexpr size_t kMostArguments = 4096;

/// {"entry","grid":[x,y,z],"block":[x,y,z],"cluster":[x,y,z],"shared","args":[SPEC…],"gemm":{…},
/// "expect":{…},"guesses":[…]}; what is empty is left out.
nlohmann::ordered_json to_document(const LaunchSheet& sheet);
/// The document as people read it, two blanks a level.
std::string to_text(const LaunchSheet& sheet);

/// Throws SheetError with one sentence: the field, its value, the limit. SPECs are read as they are
/// (check_sheet.h looks into them).
LaunchSheet sheet_of(const nlohmann::json& document);
/// Text of at most kMostSheetBytes.
LaunchSheet sheet_of_text(std::string_view text);
/// Throws SheetError also if it cannot be read; the sentence then names the file.
LaunchSheet read_sheet(const std::string& file);
inline constexpr size_t kMostSheetBytes = 1 << 20;

/// Each extent's limits; `what`: "grid". Throws SheetError.
void check_grid(const Extent& grid);
void check_block(const Extent& block);
void check_cluster(const Extent& cluster);
void check_shared(uint64_t bytes);

/// Where the sheet of a kernel's file is looked for, in this order: beside it, and in the app's
/// data folder, for folders that cannot be written to.
struct SheetPlaces {
  std::string beside, in_data_folder;
};
SheetPlaces sheet_places(const std::string& kernel_file, const std::string& data_folder);
struct SavedSheet {
  std::string file;    // empty: it is kept nowhere
  std::string remark;  // why not beside the kernel, or not at all; else empty
};
/// Beside the kernel's file, or where that cannot be, in the data folder (which is made if need
/// be).
SavedSheet save_sheet(const std::string& kernel_file, const std::string& data_folder,
                      const LaunchSheet& sheet);
/// The one that was saved last; nothing if there is none. Throws SheetError if it cannot be read.
std::optional<LaunchSheet> saved_sheet(const std::string& kernel_file,
                                       const std::string& data_folder);

}  // namespace tilescope::sheet
