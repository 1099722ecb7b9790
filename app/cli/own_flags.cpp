#include "app/cli/own_flags.h"

#include <fmt/format.h>

#include "app/cli/cli_error.h"
#include "app/cli/help.h"
#include "app/cli/parse.h"
#include "core/model/format.h"

namespace tilescope::cli {

void OwnFlags::add_to(CLI::App& app) {
  const auto text = [&](const char* flag, std::string& to, const char* what, const char* type) {
    app.add_option(flag, to, what)->type_name(type)->group(kPtxGroup);
  };
  text("--ptx", ptx, "a PTX file; --kernel and its options are then left out", "FILE");
  text("--cu", cu,
       "a CUDA C++ file: its host code is left out, the rest compiled by NVRTC, and by nvcc what "
       "NVRTC does not take",
       "FILE");
  text("--arch", arch,
       "of --cu: what to compile for (default sm_90, or what the card of --device is)", "sm_NN");
  app.add_option("-I", include_folders, "of --cu: a folder of headers")
      ->type_name("DIR")
      ->group(kPtxGroup)
      ->allow_extra_args(false);
  app.add_option("-D", defines, "of --cu: a macro")
      ->type_name("NAME=VALUE")
      ->group(kPtxGroup)
      ->allow_extra_args(false);
  text("--entry", entry,
       "its kernel: its name in the PTX or in C++, a part of it that only one has, or an instance "
       "of a template, f<128,8>; may be left out if there is one",
       "NAME");
  text("--grid", grid, "CTAs", "X,Y,Z");
  text("--block", block, "threads of a CTA (default: .reqntid's or .maxntid's, else 32)", "X,Y,Z");
  text("--cluster", cluster,
       "CTAs of a cluster, at most 8 (default: .reqnctapercluster's, else none)", "X,Y,Z");
  text("--shared", shared, "of dynamic shared memory", "BYTES");
  app.add_option(
         "--arg", args,
         "the kernel's parameters, in order, one SPEC for each. Numbers: i8 to i64, u8 to "
         "u64, f16, bf16, f32, f64, as in i32:5 f32:1.5. Buffers: in:FILE (read-only), "
         "out:BYTES (filled with zeros), inout:FILE, buf:TYPE:ROWSxCOLS:FILL[:in|out|inout] "
         "with FILL random, zeros, index or a file (.npy or raw). A struct by value: "
         "bytes:HEX,@INDEX,…, where @INDEX is the address of that argument's buffer. A tensor map "
         "(CUtensorMap): tensormap:INDEX:TYPE:DIMS:BOX of that buffer, the dense dimension first, "
         "perhaps :swizzle=128 :strides=BYTESx… :steps=1x2 :offset=BYTES :fill=nan. A "
         "buffer that no parameter takes stands behind the last one")
      ->type_name("SPEC")
      ->group(kPtxGroup)
      ->expected(-1);
  text("--sheet", sheet,
       "a launch sheet in place of these options, as JSON: entry, grid, block, cluster, shared, "
       "args and "
       "gemm; what is given beside it counts",
       "FILE");
  text("--gemm", gemm,
       "it computes C = alpha · A·B + beta · C: grid and arguments follow, and C is verified "
       "(--layout, --c, --alpha and --beta as of a kernel of the ladder, TT without them)",
       "MxNxK");
  app.add_option("--expect", expect,
                 "what that argument's buffer must hold after the run: a file, raw or .npy; ends "
                 "with 1 if it does not")
      ->type_name("INDEX=FILE")
      ->group(kPtxGroup)
      ->expected(-1);
  text("--expect-kernel", expect_kernel,
       "a kernel that is right, of the same file or of another: it is given the same, and what "
       "both write is compared",
       "[FILE:]ENTRY");
  text("--tolerance", tolerance,
       "of --expect and --expect-kernel: how far an element may be off, as a part of its size "
       "plus the usual size of all (default 1e-4 of f32, 1e-10 of f64, 1e-2 of f16, 5e-2 of bf16, "
       "0 of integers)",
       "X");
  text("--write-sheet", write_sheet, "writes the sheet that the options come to", "FILE");
  text("--max-instructions", max_instructions,
       "of lanes, that a run may take (default 100000000000; 0: as many as it takes)", "N");
  text("--max-memory", max_memory, "that the emulator may take (default 2; 0: as much as it takes)",
       "GB");
}

void add_gemm_flags(CLI::App& app, RequestOptions& problem) {
  const auto text = [&](const char* flag, std::string& to, const char* what, const char* type) {
    app.add_option(flag, to, what)->type_name(type)->group(kPtxGroup);
  };
  text("--layout", problem.layout, "of --gemm: A, then B; N = column-major, T = row-major",
       "NN|NT|TN|TT");
  text("--c", problem.c_order, "of --gemm: the order of C", "row|col");
  text("--alpha", problem.alpha, "of --gemm, of a kernel that takes it (default 1.5)", "X");
  text("--beta", problem.beta, "of --gemm, of a kernel that takes it (default 0.5)", "X");
}

void OwnFlags::refuse_without_file() const {
  const char* flag = !entry.empty()           ? "--entry"
                     : !args.empty()          ? "--arg"
                     : !grid.empty()          ? "--grid"
                     : !block.empty()         ? "--block"
                     : !cluster.empty()       ? "--cluster"
                     : !shared.empty()        ? "--shared"
                     : !sheet.empty()         ? "--sheet"
                     : !gemm.empty()          ? "--gemm"
                     : !write_sheet.empty()   ? "--write-sheet"
                     : !expect.empty()        ? "--expect"
                     : !expect_kernel.empty() ? "--expect-kernel"
                     : !tolerance.empty()     ? "--tolerance"
                     : !arch.empty()          ? "--arch"
                     : !defines.empty()       ? "-D"
                                              : nullptr;
  if (flag) bad(fmt::format("{} belongs to --ptx FILE or --cu FILE", flag));
}

uint64_t max_lane_instructions(const OwnFlags& o) {
  if (o.max_instructions.empty()) return worker::kMostLaneInstructions;
  const long long number = parse_integer("--max-instructions", o.max_instructions);
  if (number < 0) bad("--max-instructions: " + o.max_instructions + " is less than 0");
  return static_cast<uint64_t>(number);
}

worker::calls::Bounds bounds_of(const OwnFlags& o) {
  worker::calls::Bounds bounds;
  bounds.max_lane_instructions = max_lane_instructions(o);
  if (o.max_memory.empty()) return bounds;
  const double gigabytes = parse_number("--max-memory", o.max_memory);
  constexpr double kMost = 1e6;
  if (!(gigabytes >= 0 && gigabytes <= kMost)) {
    bad(fmt::format("--max-memory: {} is not within 0 and {} GB", o.max_memory,
                    model::grouped(1'000'000)));
  }
  bounds.max_memory = static_cast<uint64_t>(gigabytes * 1e9);
  return bounds;
}

}  // namespace tilescope::cli
