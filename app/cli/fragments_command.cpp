// fragments: which lane holds which element, as a picture of text or in the formats that other
// programs read.
#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/prove_command.h"
#include "app/cli/recorded_checks.h"
#include "app/cli/request_options.h"
#include "core/instructions/fragment_export.h"
#include "core/instructions/fragment_text.h"
#include "core/instructions/wgmma_words.h"

namespace tilescope::cli {
namespace {

using model::Instruction;
using Found = std::vector<const Instruction*>;

enum class Format { table, csv, markdown, latex, cpp, json };
struct FormatRow {
  const char* name;
  Format format;
};
constexpr FormatRow kFormats[] = {{"table", Format::table},       {"csv", Format::csv},
                                  {"markdown", Format::markdown}, {"latex", Format::latex},
                                  {"cpp", Format::cpp},           {"json", Format::json}};

struct FragmentsOptions {
  bool list = false, all = false, prove = false;
  std::string atom, format = "table", operand, device, record;
  std::vector<std::string> words;  // of --search

  std::string search() const {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }
};

Format format_named(const std::string& name) {
  std::string names;
  for (const FormatRow& row : kFormats) {
    if (name == row.name) return row.format;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  bad(fmt::format("--format: '{}' is none of {}", name, names));
}

/// "X, Y and Z"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

constexpr size_t kNearest = 3;

Found chosen(const FragmentsOptions& o) {
  if (!o.atom.empty()) {
    const Instruction* instruction = model::find_instruction(o.atom);
    if (!instruction) {
      bad(fmt::format("--atom: no map of '{}'; the nearest of the {} instructions are {}", o.atom,
                      model::instructions().size(),
                      listed(model::nearest_instructions(o.atom, kNearest))));
    }
    return {instruction};
  }
  Found found = model::search_instructions(o.search());
  if (found.empty()) {
    bad(fmt::format(
        "--search: none of the {} instructions has every word of '{}'; fragments --list "
        "names them all",
        model::instructions().size(), o.search()));
  }
  if (!o.words.empty()) return found;
  Found all;  // in the order of the list, not of a search
  for (const Instruction& i : model::instructions()) all.push_back(&i);
  return all;
}

/// The letter of --operand, or 0; what an instruction does not have is refused.
char operand_of(const FragmentsOptions& o, const Found& found) {
  if (o.operand.empty()) return 0;
  const std::string letters = "ABCD";
  if (o.operand.size() != 1 || letters.find(o.operand[0]) == std::string::npos) {
    bad(fmt::format("--operand: '{}' is none of A, B, C and D", o.operand));
  }
  for (const Instruction* i : found) {
    if (i->kind == Instruction::Kind::move) {
      bad(fmt::format("--operand {}: {} moves matrices and has no A, B or C; leave --operand out",
                      o.operand, i->name));
    }
    if (o.operand == "B" && i->mma.b_in_shared) {
      bad(
          fmt::format("--operand B: B of {} lies in shared memory, no thread holds it; choose A, C "
                      "or D",
                      i->name));
    }
  }
  return o.operand[0];
}

/// A grid of "T0V0" cells: thread or lane, and value.
void print_operand(const std::string& name, const FragmentLayout& f, const Layout& lanes) {
  print(fmt::format("\n{}: {}×{} of {} bits, {} values per lane, {} per register; T lane, V value",
                    name, f.rows, f.cols, f.bits, f.values(), f.values_per_register));
  if (f.copies() > 1) print(fmt::format("held {} times; the first is shown", f.copies()));
  for (int row = 0; row < f.rows; ++row) {
    std::string line;
    for (int col = 0; col < f.cols; ++col) {
      const Holder h = fragment_holder(f, {row, col});
      line += fmt::format("T{:<2}V{} ", lanes(h.thread), h.value);
    }
    print(line);
  }
}

void print_mma(const Instruction& i, char only) {
  print(i.name);
  for (const model::NamedFragment& named : model::named_fragments(i.mma, only)) {
    if (!named.fragment) {
      print("\nB lies in shared memory, named by a descriptor: no thread holds it");
      print(
          "layout                 k steps   bytes  leading  stride  descriptor, without the start");
      for (const model::WgmmaOperandRow& row : model::wgmma_operand_rows(i.mma)) {
        print(fmt::format("{:<24}{:>6}{:>8}{:>9}{:>8}  {:#018x}",
                          model::wgmma_layout_words(row.layout), row.layout.steps(), row.bytes,
                          row.leading_bytes, row.stride_bytes, row.descriptor));
      }
      continue;
    }
    const char* axes = named.name == 'A' ? "[m, k]" : named.name == 'B' ? "[k, n]" : "[m, n]";
    print_operand(fmt::format("{} {}", named.name, axes), *named.fragment, i.mma.lanes);
  }
  if (i.mma.group.size() > 1) {
    print(
        fmt::format("\n{} groups of lanes compute for themselves; the first is shown, the next is "
                    "{} lanes on",
                    i.mma.group.size(), i.mma.group.mode[0].stride));
  }
}

void print_move(const Instruction& i) {
  const MatrixMove& move = i.move;
  const bool in_registers = move.kind == MatrixMoveKind::movmatrix;
  print(i.name);
  print(in_registers ? "lane  gives | receives, two per register: matrix[row, col] of the source"
                     : "lane  gives row      holds, two per register: matrix[row, col]");
  const auto values = [](const FragmentLayout& f, int lane) {
    std::string text;
    for (int v = 0; v < f.values(); ++v) {
      const Coord at = fragment_coord(f, lane, v);
      text += fmt::format(" {}[{},{}]", at.row / kMatrixRows, at.row % kMatrixRows, at.col);
    }
    return text;
  };
  for (int lane = 0; lane < move.registers.threads(); ++lane) {
    std::string line = fmt::format("{:4} ", lane);
    if (in_registers) {
      line += values(move.registers, lane) + " |" + values(move.result, lane);
    } else {
      const int row = move.address(lane);
      line += lane < move.address.size()
                  ? fmt::format(" matrix {} row {} ", row / kMatrixRows, row % kMatrixRows)
                  : std::string(16, ' ');
      line += values(move.registers, lane);
    }
    print(line);
  }
}

/// A proof on a device says more than the tests.
std::string checked_text(const Instruction& i) {
  static const std::map<std::string, std::string> recorded = recorded_checks();
  const auto found = recorded.find(i.name);
  return found == recorded.end() ? model::how_checked(i) : found->second;
}

void print_instruction(const Instruction& i, Format format, char only, bool several) {
  switch (format) {
    case Format::csv:
      return print_text(several ? model::fragment_csv_lines(i, only)
                                : model::fragment_csv(i, only));
    case Format::markdown:
      return print(model::fragment_markdown(i, only));
    case Format::latex:
      return print_text(model::fragment_latex(i, only));
    case Format::cpp:
      return print(model::fragment_cpp(i, checked_text(i), only));
    case Format::json:
      return print_text(model::fragment_json(i, only));
    case Format::table:
    default:
      return i.kind == Instruction::Kind::mma ? print_mma(i, only) : print_move(i);
  }
}

void print_names(const Found& found, bool json) {
  Json names = Json::array();
  for (const Instruction* i : found) {
    names.push_back(i->name);
    if (!json) print(i->name);
  }
  if (json) print_json(names);
}

void print_maps(const Found& found, Format format, char only, bool several) {
  const bool array = format == Format::json && several;
  if (array) print_text("[");
  if (format == Format::csv) {
    print_text(several ? model::kFragmentsCsvHead : model::fragment_csv_head(*found[0]));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    print_instruction(*found[i], format, only, several);
    if (array && i + 1 < found.size()) print(",");
    if (format == Format::table && i + 1 < found.size()) print("");
  }
  if (format == Format::json) print(array ? "]" : "");
}

/// --prove: the instructions that were asked for, run on a device instead of written down.
int prove_found(const FragmentsOptions& o, const Globals& globals) {
  if (o.list || !o.operand.empty() || format_named(o.format) != Format::table) {
    bad("--prove runs whole instructions; leave out --list, --operand and --format");
  }
  ProveRequest request;
  request.all = o.all && o.words.empty();
  for (const Instruction* i : chosen(o)) request.atoms.push_back(i->name);
  if (!o.device.empty()) read_device(o.device, request.device, request.host);
  request.record = o.record;
  return prove(request, globals);
}

int run_fragments(const FragmentsOptions& o, const Globals& globals) {
  const bool searched = !o.words.empty();
  if (o.list + o.all + !o.atom.empty() > 1 || (searched && !o.atom.empty()) ||
      !(o.list || o.all || searched || !o.atom.empty())) {
    bad("fragments takes one of --list, --atom PTX and --all, or --search WORDS alone or with "
        "--list or --all");
  }
  if (o.prove) return prove_found(o, globals);
  if (!o.device.empty() || !o.record.empty()) bad("--device and --record belong to --prove");
  const Format format = globals.json ? Format::json : format_named(o.format);
  const Found found = chosen(o);
  if (!o.all && o.atom.empty()) {
    if (format != Format::table && format != Format::json) {
      bad(fmt::format("--format {} writes maps, not names; give --atom or --all", o.format));
    }
    print_names(found, format == Format::json);
    return kOk;
  }
  print_maps(found, format, operand_of(o, found), o.all);
  return kOk;
}

}  // namespace

Run make_fragments(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<FragmentsOptions>();
  app.add_flag("--list", o->list, "the names of all instructions");
  app.add_flag("--all", o->all, "the maps of all instructions");
  app.add_option("--atom", o->atom, "one instruction, by its PTX name or CuTe's")
      ->type_name("NAME");
  app.add_option("--search", o->words, "instructions that have all these words: fp8 hopper 64x256")
      ->type_name("WORD")
      ->expected(1, -1);
  app.add_option("--format", o->format, "of the maps")
      ->type_name("table|csv|markdown|latex|cpp|json")
      ->capture_default_str();
  app.add_option("--operand", o->operand, "this operand alone")->type_name("A|B|C|D");
  app.add_flag("--prove", o->prove,
               "runs the instructions and compares what they do with their maps");
  app.add_option("--device", o->device,
                 "where --prove runs: cuda:0 (default), emulator, or ssh:HOST/cuda:N")
      ->type_name("DEVICE");
  app.add_option("--record", o->record, "appends the proofs to a file, one JSON object per line")
      ->type_name("FILE");
  return [o, &globals] { return run_fragments(*o, globals); };
}

}  // namespace tilescope::cli
