// fragments: which lane holds which element.
#include <fmt/format.h>

#include <memory>

#include "app/cli/atoms.h"
#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/output.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

Json operand_json(const FragmentLayout& f) {
  Json map = Json::array();
  for (int lane = 0; lane < f.threads(); ++lane) {
    Json values = Json::array();
    for (int v = 0; v < f.values(); ++v) {
      const Coord at = fragment_coord(f, lane, v);
      values.push_back({at.row, at.col});
    }
    map.push_back(values);
  }
  return {{"rows", f.rows},
          {"cols", f.cols},
          {"bits", f.bits},
          {"values", f.values()},
          {"values_per_register", f.values_per_register},
          {"map", map}};
}

Json mma_json(const AtomInfo& atom) {
  const MmaAtom& m = atom.mma;
  return {
      {"atom", atom.name},
      {"shape", {m.m, m.n, m.k}},
      {"types",
       {{"D", model::name_of(m.type_c)},
        {"A", model::name_of(m.type_a)},
        {"B", model::name_of(m.type_b)},
        {"C", model::name_of(m.type_c)}}},
      {"threads", m.c.threads()},
      {"operands", {{"A", operand_json(m.a)}, {"B", operand_json(m.b)}, {"C", operand_json(m.c)}}}};
}

Json ldmatrix_json(const AtomInfo& atom) {
  Json address = Json::array(), map = Json::array();
  for (int lane = 0; lane < atom.mma.a.threads(); ++lane) {
    const MatrixPlace at = ldmatrix_address(atom, lane);
    address.push_back({at.matrix, at.row});
    Json values = Json::array();
    for (int v = 0; v < atom.mma.a.values(); ++v) {
      const MatrixPlace place = ldmatrix_value(atom, lane, v);
      values.push_back({place.matrix, place.row, place.col});
    }
    map.push_back(values);
  }
  return {{"atom", atom.name},
          {"matrices", atom.ldmatrix.matrices},
          {"address", address},
          {"map", map}};
}

Json atom_json(const AtomInfo& atom) {
  return atom.kind == AtomInfo::Kind::mma ? mma_json(atom) : ldmatrix_json(atom);
}

void print_operand(const char* name, const FragmentLayout& f) {
  print(fmt::format("\n{}: {}×{} of {} bits, {} values a lane, {} a register; T lane, V value",
                    name, f.rows, f.cols, f.bits, f.values(), f.values_per_register));
  for (int row = 0; row < f.rows; ++row) {
    std::string line;
    for (int col = 0; col < f.cols; ++col) {
      const Holder h = fragment_holder(f, {row, col});
      line += fmt::format("T{:<2}V{} ", h.thread, h.value);
    }
    print(line);
  }
}

void print_atom(const AtomInfo& atom) {
  print(atom.name);
  if (atom.kind == AtomInfo::Kind::mma) {
    print_operand("A [m, k]", atom.mma.a);
    print_operand("B [k, n]", atom.mma.b);
    print_operand("C [m, n]", atom.mma.c);
    return;
  }
  print("lane  gives row      receives, two a register: matrix[row, col]");
  for (int lane = 0; lane < 32; ++lane) {
    const MatrixPlace at = ldmatrix_address(atom, lane);
    std::string line = fmt::format("{:4}  matrix {} row {} ", lane, at.matrix, at.row);
    for (int v = 0; v < atom.mma.a.values(); ++v) {
      const MatrixPlace p = ldmatrix_value(atom, lane, v);
      line += fmt::format(" {}[{},{}]", p.matrix, p.row, p.col);
    }
    print(line);
  }
}

struct Options {
  bool list = false, all = false;
  std::string atom;
};

int run(const Options& o, const Globals& globals) {
  const std::vector<AtomInfo> atoms = all_atoms();
  if (o.list + o.all + !o.atom.empty() != 1) {
    throw CliError(kBadUsage, "fragments takes one of --list, --atom PTX and --all");
  }
  if (o.list) {
    Json names = Json::array();
    for (const AtomInfo& atom : atoms) {
      names.push_back(atom.name);
      if (!globals.json) print(atom.name);
    }
    if (globals.json) print_json(names);
    return kOk;
  }
  if (o.all) {
    Json all = Json::array();
    for (const AtomInfo& atom : atoms) {
      all.push_back(atom_json(atom));
      if (!globals.json) print_atom(atom);
    }
    if (globals.json) print_json(all);
    return kOk;
  }
  const AtomInfo* atom = find_atom(atoms, o.atom);
  if (!atom) {
    throw CliError(kBadUsage, fmt::format("--atom: no map of '{}'; fragments --list names the {} "
                                          "instructions that have one",
                                          o.atom, atoms.size()));
  }
  if (globals.json) {
    print_json(atom_json(*atom));
  } else {
    print_atom(*atom);
  }
  return kOk;
}

}  // namespace

Run make_fragments(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<Options>();
  app.add_flag("--list", o->list, "the instructions' names");
  app.add_flag("--all", o->all, "every map");
  app.add_option("--atom", o->atom, "a PTX instruction, as --list names it");
  return [o, &globals] { return run(*o, globals); };
}

}  // namespace tilescope::cli
