// From flags and sheet to a launch.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/cli_error.h"
#include "app/cli/given_descriptor.h"
#include "app/cli/output.h"
#include "app/cli/own_flags.h"
#include "app/cli/parse.h"
#include "core/files/whole_file.h"
#include "core/model/names.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

/// So that the worker finds it, too.
std::string whole_path(const std::string& given, const fs::path& folder) {
  const std::string file = file_of_descriptor(given);
  std::error_code error;
  const fs::path path = fs::path(file).is_absolute() ? fs::path(file) : folder / file;
  const fs::path whole = fs::absolute(path, error);
  return error ? file : whole.string();
}

/// Files that a sheet names lie in `folder`.
void name_files(sheet::LaunchSheet& sheet, const fs::path& folder) {
  sheet::name_files(sheet, [&](const std::string& file) { return whole_path(file, folder); });
}

/// `ptx`: the file is no .cu.
worker::OpenAnswer open(const OwnFlags& o, const std::string& file, bool ptx,
                        const std::string& entry, bool with_cubin, WorkerSession& worker) {
  worker::OpenRequest asked;
  asked.file = whole_path(file, fs::path());
  asked.only = ptx ? "ptx" : "cu";
  asked.arch = o.arch;
  asked.defines = o.defines;
  asked.entry = entry;
  asked.with_cubin = with_cubin;
  for (const std::string& folder : o.include_folders) {
    asked.include_folders.push_back(whole_path(folder, fs::path()));
  }
  const auto role = ptx ? worker::Role::emulator : worker::Role::compiler;
  return worker.call<worker::calls::Open>(device_of(role), asked);
}

Json errors_json(const std::vector<worker::InTheWay>& errors) {
  Json list = Json::array();
  for (const worker::InTheWay& e : errors) {
    Json one = {{"ptx_line", e.ptx_line}, {"message", e.message}};
    if (!e.opcode.empty()) one["opcode"] = e.opcode;
    if (e.line > 0) one["line"] = e.line;
    list.push_back(std::move(one));
  }
  return list;
}

/// All that is in the way, the first of it as the sentence.
void refuse_errors(const std::string& file, const std::vector<worker::InTheWay>& errors, int code) {
  if (errors.empty()) return;
  const auto told = [](const worker::InTheWay& e) {
    std::string text = clause(e.message);
    if (text.find("line") == std::string::npos) text = fmt::format("line {}: {}", e.ptx_line, text);
    return e.line > 0 ? fmt::format("{} (line {})", text, e.line) : text;
  };
  std::string sentence = fmt::format("{}: {}", file, told(errors.front()));
  for (size_t i = 1; i < errors.size(); ++i) {
    message(fmt::format("tilescope-cli: {}: {}", file, told(errors[i])));
  }
  throw CliError(code, sentence, {{"errors", errors_json(errors)}});
}

sheet::Extent extent_of(const char* flag, const std::string& text) {
  const Triple t = parse_triple(flag, text);
  return {t.x, t.y, t.z};
}

/// What is wrong with a flag itself, which no sheet mends.
template <class Check>
void check_flag(const char* flag, const std::string& text, Check check) {
  try {
    check();
  } catch (const sheet::SheetError& error) {
    bad(fmt::format("{} {}: {}", flag, text, clause(error.what())));
  }
}

/// The flags' parts take the place of the sheet's.
void put_flags(const OwnFlags& o, sheet::LaunchSheet& s) {
  const auto say = [&](const std::string& what) { std::erase(s.guesses, what); };
  if (!o.grid.empty()) {
    s.grid = extent_of("--grid", o.grid);
    check_flag("--grid", o.grid, [&] { sheet::check_grid(*s.grid); });
    say("grid");
  }
  if (!o.block.empty()) {
    s.block = extent_of("--block", o.block);
    check_flag("--block", o.block, [&] { sheet::check_block(*s.block); });
    say("block");
  }
  if (!o.cluster.empty()) {
    s.cluster = extent_of("--cluster", o.cluster);
    check_flag("--cluster", o.cluster, [&] { sheet::check_cluster(*s.cluster); });
    say("cluster");
  }
  if (!o.shared.empty()) {
    s.shared = static_cast<uint32_t>(
        parse_integer("--shared", o.shared, 0, static_cast<long long>(sheet::kMostShared)));
    say("shared");
  }
  if (o.args.empty()) return;
  sheet::LaunchSheet given;
  given.args = o.args;
  name_files(given, fs::path());
  s.args = std::move(given.args);
  std::erase_if(s.guesses, [](const std::string& guess) { return guess.starts_with("args"); });
}

sheet::GemmQuestion gemm_question(const OwnFlags& o, const RequestOptions& problem) {
  const Size size = parse_size(o.gemm);
  sheet::GemmQuestion q;
  q.m = size.m, q.n = size.n, q.k = size.k;
  if (!problem.layout.empty()) {
    const bool known =
        problem.layout.size() == 2 && problem.layout.find_first_not_of("NT") == std::string::npos;
    if (!known) bad(fmt::format("--layout: '{}' is not NN, NT, TN or TT", problem.layout));
    q.layout = problem.layout;
  }
  q.column_c = problem.c_order == "col";
  if (!problem.alpha.empty()) q.alpha = parse_number("--alpha", problem.alpha);
  if (!problem.beta.empty()) q.beta = parse_number("--beta", problem.beta);
  return q;
}

/// A block that the PTX gives needs no flag; without any a warp is run, as ever.
void put_usual_block(const sheet::Signature& s, sheet::LaunchSheet& sheet) {
  if (sheet.block) return;
  sheet.block = s.required_block.x != 0 ? s.required_block
                : s.most_block.x != 0   ? s.most_block
                                        : sheet::Extent{32, 1, 1};
}

void write_sheet(const OwnFlags& o, const sheet::LaunchSheet& s) {
  if (o.write_sheet.empty()) return;
  const std::string why_not = files::replace_file(o.write_sheet, sheet::to_text(s));
  if (!why_not.empty()) bad("--write-sheet: " + clause(why_not));
}

/// Prints the sheet that would be taken.
[[noreturn]] void refuse(const OwnFlags& o, const std::string& why,
                         const sheet::LaunchSheet& would) {
  write_sheet(o, would);
  std::string way_out;
  if (o.write_sheet.empty()) {
    message("This sheet would be taken (--write-sheet FILE saves it):\n" + sheet::to_text(would));
  } else {
    way_out = fmt::format("; what would be taken is in {}: look at it, and give it with --sheet",
                          o.write_sheet);
  }
  throw CliError(kBadUsage, clause(why) + way_out, {{"sheet", sheet::to_document(would)}});
}

/// What is known already, with guesses for the rest.
sheet::LaunchSheet would_take(const OwnFlags& o, const OwnLaunch& own) {
  sheet::LaunchSheet would = own.opened.kernels[own.kernel].guess;
  OwnFlags right = o;
  // Arguments that do not fit are no part of it.
  right.args.clear();
  put_flags(right, would);
  const auto& known = own.sheet.args;
  for (size_t i = 0; i < would.args.size() && i < known.size(); ++i) {
    sheet::LaunchSheet one = would;
    one.args[i] = known[i];
    if (!sheet::faults_of(own.signature(), one).empty()) continue;
    would.args[i] = known[i];
    std::erase(would.guesses, fmt::format("args[{}]", i));
  }
  return would;
}

sheet::LaunchSheet sheet_from(const OwnFlags& o, const RequestOptions& problem,
                              const OwnLaunch& own) {
  if (!o.sheet.empty()) {
    sheet::LaunchSheet s = sheet::read_sheet(o.sheet);
    name_files(s, fs::path(o.sheet).parent_path());
    s.guesses.clear();  // who gives it has looked at it
    return s;
  }
  if (!o.gemm.empty()) {
    return sheet::gemm_sheet(own.signature(), own.opened.launches, gemm_question(o, problem));
  }
  return {};
}

std::string guessed_words(const sheet::LaunchSheet& s, const std::string& name) {
  std::string what, flags;
  for (const std::string& guess : s.guesses) {
    what += (what.empty() ? "" : ", ") + guess;
    if (!guess.starts_with("args")) flags += (flags.empty() ? "--" : " and --") + guess;
  }
  return fmt::format("{} of {} cannot be told from the file; give {}{}a --sheet", what, name, flags,
                     flags.empty() ? "" : ", or ");
}

/// "FILE:ENTRY" or "ENTRY"; names in C++ have colons of their own.
sheet::OtherKernel other_of(const std::string& text) {
  sheet::OtherKernel other;
  for (const char* ending : {".cu", ".cuh", ".ptx"}) {
    const size_t at = text.find(std::string(ending) + ":");
    if (at != std::string::npos) {
      const size_t end = at + std::string_view(ending).size();
      other.file = text.substr(0, end), other.entry = text.substr(end + 1);
      return other;
    }
    if (text.ends_with(ending)) {
      other.file = text;
      return other;
    }
  }
  other.entry = text;
  return other;
}

/// What the flags expect takes the place of what the sheet does.
void put_expected(const OwnFlags& o, sheet::LaunchSheet& s) {
  if (!o.expect.empty() || !o.expect_kernel.empty()) s.expect.emplace();
  for (const std::string& text : o.expect) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      bad(fmt::format("--expect: '{}' is not INDEX=FILE", text));
    }
    const int index = parse_integer("--expect", text.substr(0, equals), 0,
                                    static_cast<long long>(sheet::kMostArguments));
    s.expect->files.push_back({index, whole_path(text.substr(equals + 1), fs::path())});
  }
  if (!o.expect_kernel.empty()) {
    s.expect->kernel = other_of(o.expect_kernel);
    std::string& file = s.expect->kernel->file;
    if (!file.empty()) file = whole_path(file, fs::path());
  }
  if (o.tolerance.empty()) return;
  if (!s.expect) bad("--tolerance belongs to --expect INDEX=FILE or --expect-kernel ENTRY");
  const double tolerance = parse_number("--tolerance", o.tolerance);
  if (!(tolerance >= 0 && tolerance <= sheet::kMostTolerance)) {
    bad(fmt::format("--tolerance: {} is not within 0 and {}", o.tolerance, sheet::kMostTolerance));
  }
  s.expect->tolerance = tolerance;
}

/// The sheet that is kept beside the file, where nothing else says how it is launched. One with
/// guesses has been looked at by nobody.
std::optional<sheet::LaunchSheet> kept_sheet(const OwnFlags& o) {
  if (!o.sheet.empty() || !o.gemm.empty() || !o.args.empty()) return std::nullopt;
  auto kept = sheet::saved_sheet(o.file(), "");
  if (!kept || !kept->guesses.empty()) return std::nullopt;
  if (!o.entry.empty() && o.entry != kept->entry) return std::nullopt;
  const std::string file = sheet::sheet_places(o.file(), "").beside;
  message(fmt::format("tilescope-cli: launched as {} says", fs::path(file).filename().string()));
  name_files(*kept, fs::path(file).parent_path());
  return kept;
}

std::vector<sheet::Signature> signatures_of(const worker::OpenAnswer& opened) {
  std::vector<sheet::Signature> all;
  for (const worker::OpenedKernel& k : opened.kernels) all.push_back(k.signature);
  return all;
}

}  // namespace

const std::string& OwnLaunch::name() const {
  const sheet::Signature& s = signature();
  return s.demangled.empty() ? s.entry : s.demangled;
}

/// The kernel that the sheet expects to be right, if it does.
static void open_other(const OwnFlags& o, OwnLaunch& own, WorkerSession& worker) {
  if (!own.sheet.expect || !own.sheet.expect->kernel) return;
  const sheet::OtherKernel& kernel = *own.sheet.expect->kernel;
  const std::string file = kernel.file.empty() ? o.file() : kernel.file;
  const worker::OpenAnswer opened =
      open(o, file, file.ends_with(".ptx"), kernel.entry, false, worker);
  refuse_errors(file, opened.errors, kFailed);
  const size_t index = sheet::find_kernel(signatures_of(opened), kernel.entry);
  refuse_errors(file, opened.kernels[index].in_the_way, kFailed);
  const sheet::Signature& signature = opened.kernels[index].signature;
  own.other_args = sheet::other_arguments(own.sheet, own.signature(), signature);
  worker::LaunchRequest other;
  other.ptx = opened.ptx;
  other.sheet = sheet::other_sheet(own.sheet, own.other_args, signature, opened.launches);
  own.other = std::move(other);
}

OwnLaunch read_own(const OwnFlags& o, const RequestOptions& problem, WorkerSession& worker,
                   bool with_cubin) try {
  if (!o.ptx.empty() && !o.cu.empty()) bad("--ptx and --cu are two files; give one of them");
  if (!o.sheet.empty() && !o.gemm.empty()) {
    bad("--sheet says by itself what is a GEMM; leave out --gemm");
  }
  OwnLaunch own;
  own.file = o.file();
  std::string entry = o.entry;
  if (entry.empty() && !o.sheet.empty()) entry = sheet::read_sheet(o.sheet).entry;
  const std::optional<sheet::LaunchSheet> kept = kept_sheet(o);
  if (kept) entry = kept->entry;
  own.opened = open(o, o.file(), o.cu.empty(), entry, with_cubin, worker);
  refuse_errors(o.file(), own.opened.errors, kFailed);
  const auto signatures = signatures_of(own.opened);
  own.kernel = sheet::find_kernel(signatures, entry);
  refuse_errors(o.file(), own.opened.kernels[own.kernel].in_the_way, kFailed);
  own.sheet = kept ? *kept : sheet_from(o, problem, own);
  put_flags(o, own.sheet);
  put_expected(o, own.sheet);
  put_usual_block(own.signature(), own.sheet);
  own.sheet.entry = own.signature().entry;
  const auto faults = sheet::faults_of(own.signature(), own.sheet);
  if (!faults.empty()) refuse(o, faults.front(), would_take(o, own));
  if (!own.sheet.guesses.empty()) refuse(o, guessed_words(own.sheet, own.name()), own.sheet);
  own.specs = sheet::arguments_of(own.signature(), own.sheet);
  write_sheet(o, own.sheet);
  open_other(o, own, worker);
  return own;
} catch (const sheet::SheetError& error) {
  throw CliError(kBadUsage, clause(error.what()));
}

worker::LaunchRequest launch_request(const OwnLaunch& own) {
  worker::LaunchRequest request;
  request.ptx = own.opened.ptx;
  request.sheet = own.sheet;
  request.source = own.opened.kernels[own.kernel].source;
  // A PTX's own names ("param_0") tell less than the number.
  if (own.opened.kind != "cu") return request;
  for (const sheet::Parameter& p : own.signature().parameters) request.names.push_back(p.name);
  return request;
}

void add_launch(const OwnLaunch& own, worker::RunRequest& request) {
  request.launch = launch_request(own);
  request.other = own.other;
  request.other_args = own.other_args;
}

std::vector<int> buffer_arguments(const OwnLaunch& own) {
  std::vector<int> indices;
  for (size_t i = 0; i < own.specs.size(); ++i) {
    if (std::holds_alternative<sheet::BufferSpec>(own.specs[i]))
      indices.push_back(static_cast<int>(i));
  }
  return indices;
}

}  // namespace tilescope::cli
