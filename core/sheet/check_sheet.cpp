#include "core/sheet/check_sheet.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "core/model/format.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {

std::string count_words(size_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

uint32_t spec_bytes(const ArgumentSpec& spec) {
  if (const auto* value = std::get_if<ValueSpec>(&spec)) return value->type->bytes;
  if (const auto* all = std::get_if<StructSpec>(&spec)) {
    return static_cast<uint32_t>(all->bytes.size());
  }
  if (std::holds_alternative<TensorMapSpec>(spec)) return kTensorMapBytes;
  return sizeof(uint64_t);
}

/// What a number of a parameter's type is written as, "" if it is no number.
std::string form_for(const Parameter& p) {
  if (is_pointer(p)) return "";
  const ValueType* type = value_type_of(p);
  return type ? std::string(type->name) + ":" : "";
}

/// What is wrong with this SPEC for this parameter.
std::optional<std::string> misfit(const Parameter& p, const ArgumentSpec& spec) {
  const uint32_t bytes = spec_bytes(spec);
  const std::string what = fmt::format("the parameter {}", text_of(p));
  const bool is_buffer = std::holds_alternative<BufferSpec>(spec);
  const std::string form = form_for(p);
  const std::string way_out = form.empty() ? "" : fmt::format("; write {}VALUE", form);
  if (bytes != p.bytes) {
    return fmt::format("has {} bytes; {} has {}{}", bytes, what, p.bytes, way_out);
  }
  if (is_buffer && !is_pointer(p)) {
    return fmt::format("is a buffer; {} is a number{}", what, way_out);
  }
  const auto* value = std::get_if<ValueSpec>(&spec);
  const ValueType* wanted = is_pointer(p) ? nullptr : value_type_of(p);
  if (!value || !wanted) return std::nullopt;
  // Signed or not is a matter of how the bits are read; a real number has other bits.
  const bool same =
      value->type->is_real() == wanted->is_real() && (!wanted->is_real() || value->type == wanted);
  if (same) return std::nullopt;
  return fmt::format("is {}; {} is not{}",
                     value->type->is_real() ? "a real number" : "a whole number", what, way_out);
}

/// Why a tensor map's tensor does not lie in that argument.
std::optional<std::string> misfit(const TensorMapSpec& map, const ArgumentSpec& where) {
  const auto* buffer = std::get_if<BufferSpec>(&where);
  if (!buffer)
    return fmt::format("its tensor lies in argument {}, which is no buffer", map.argument);
  const uint64_t needs = map.bytes(), has = buffer->bytes();
  if (has == 0 || needs <= has) return std::nullopt;  // a file's bytes are not known here
  return fmt::format("its tensor takes {} bytes of argument {}, which has {}", needs, map.argument,
                     model::grouped(static_cast<long long>(has)));
}

struct Read {
  std::vector<std::optional<ArgumentSpec>> specs;
  std::vector<std::string> faults;
};

Read read_arguments(const Signature& s, const LaunchSheet& sheet) {
  Read read;
  const auto wrong = [&](size_t i, const std::string& why) {
    read.faults.push_back(fmt::format("Argument {} ({}): {}.", i, sheet.args[i], why));
  };
  for (size_t i = 0; i < sheet.args.size(); ++i) {
    try {
      read.specs.emplace_back(parse_spec(sheet.args[i]));
    } catch (const SheetError& error) {
      read.specs.emplace_back();
      wrong(i, error.what());
    }
  }
  const size_t given = sheet.args.size(), taken = s.parameters.size();
  std::vector<bool> pointed_to(given);
  for (size_t i = 0; i < given; ++i) {
    const auto* map = read.specs[i] ? std::get_if<TensorMapSpec>(&*read.specs[i]) : nullptr;
    if (!map) continue;
    if (map->argument >= given) {
      wrong(i, fmt::format("its tensor lies in argument {}, which is not there", map->argument));
    } else if (read.specs[map->argument]) {
      if (const auto why = misfit(*map, *read.specs[map->argument])) wrong(i, *why);
      pointed_to[map->argument] = true;
    }
  }
  for (size_t i = 0; i < given; ++i) {
    const auto* all = read.specs[i] ? std::get_if<StructSpec>(&*read.specs[i]) : nullptr;
    if (!all) continue;
    for (const StructSpec::Pointer& p : all->pointers) {
      if (p.argument >= given) {
        wrong(i, fmt::format("@{} is not there: {}", p.argument,
                             given == 1 ? "1 argument is given"
                                        : fmt::format("{} arguments are given", given)));
      } else if (read.specs[p.argument] &&
                 !std::holds_alternative<BufferSpec>(*read.specs[p.argument])) {
        wrong(i, fmt::format("@{} is a value, not a buffer; name one that is in:, out:, inout: or "
                             "buf:",
                             p.argument));
      } else {
        pointed_to[p.argument] = true;
      }
    }
  }
  bool number = given >= taken;
  for (size_t i = taken; i < given; ++i) number = number && pointed_to[i];
  if (!number) {
    read.faults.push_back(fmt::format(
        "{} takes {}, and {} given; it is {}.", s.demangled.empty() ? s.entry : s.demangled,
        count_words(taken, "parameter"),
        given == 1 ? "1 argument is" : fmt::format("{} arguments are", given), text_of(s)));
  }
  for (size_t i = 0; i < std::min(given, taken); ++i) {
    if (!read.specs[i]) continue;
    if (const auto why = misfit(s.parameters[i], *read.specs[i])) wrong(i, *why);
  }
  return read;
}

void check_gemm(const LaunchSheet& sheet, const Read& read, std::vector<std::string>& faults) {
  const GemmSheet& g = *sheet.gemm;
  const ValueType* factor_types[2] = {};
  const std::array<int, 3> arguments = {g.a, g.b, g.c};
  for (int matrix = 0; matrix < 3; ++matrix) {
    const int at = arguments[static_cast<size_t>(matrix)];
    const char name = "ABC"[matrix];
    const auto index = static_cast<size_t>(at);
    if (at < 0 || index >= read.specs.size()) {
      faults.push_back(
          fmt::format("gemm: {} is argument {}; there are {}.", name, at, read.specs.size()));
      continue;
    }
    if (!read.specs[index]) continue;
    const auto* buffer = std::get_if<BufferSpec>(&*read.specs[index]);
    const MatrixShape shape = matrix_shape(g, matrix);
    const uint64_t elements = uint64_t(shape.rows) * uint64_t(shape.cols);
    const std::string form = fmt::format("write buf:TYPE:{}x{}:random", shape.rows, shape.cols);
    if (!buffer || !buffer->type) {
      faults.push_back(fmt::format("gemm: {} is argument {} ({}), of which no type is known; {}.",
                                   name, at, sheet.args[index], form));
      continue;
    }
    if (buffer->rows * buffer->cols < elements) {
      faults.push_back(
          fmt::format("gemm: {} is argument {} ({}), which has {} elements; {} × {} "
                      "are {}.",
                      name, at, sheet.args[index],
                      model::grouped(static_cast<long long>(buffer->rows * buffer->cols)),
                      shape.rows, shape.cols, model::grouped(static_cast<long long>(elements))));
    }
    const std::string type = buffer->type->name;
    const bool known = type == "f32" || type == "f16" || type == "bf16";
    if (!known) {
      faults.push_back(
          fmt::format("gemm: {} is of {}; only f32, f16 and bf16 are compared with "
                      "double precision. Leave gemm out, or look at C with --dump.",
                      name, type));
    }
    if (matrix < 2) factor_types[matrix] = buffer->type;
  }
  if (factor_types[0] && factor_types[1] && factor_types[0] != factor_types[1]) {
    faults.push_back(fmt::format("gemm: A is of {} and B of {}; they must be of one type.",
                                 factor_types[0]->name, factor_types[1]->name));
  }
  for (const auto& [factor, name] : {std::pair(g.alpha, "alpha"), std::pair(g.beta, "beta")}) {
    if (!factor) continue;
    const auto index = static_cast<size_t>(*factor);
    const bool is_value = *factor >= 0 && index < read.specs.size() && read.specs[index] &&
                          std::holds_alternative<ValueSpec>(*read.specs[index]);
    if (!is_value)
      faults.push_back(fmt::format("gemm: {} is argument {}, which is no number.", name, *factor));
  }
}

void check_clusters(const Signature& s, const LaunchSheet& sheet,
                    std::vector<std::string>& faults) {
  const auto shape = [](const Extent& e) { return fmt::format("{}×{}×{}", e.x, e.y, e.z); };
  const bool required = s.required_cluster.x != 0;
  if (sheet.cluster) {
    try {
      check_cluster(*sheet.cluster);
    } catch (const SheetError& error) {
      faults.emplace_back(error.what());
      return;
    }
    if (required && *sheet.cluster != s.required_cluster) {
      faults.push_back(fmt::format("The cluster is {}; .reqnctapercluster of {} says {}.",
                                   shape(*sheet.cluster), s.entry, shape(s.required_cluster)));
      return;
    }
    if (s.most_cluster != 0 && sheet.cluster->count() > s.most_cluster) {
      faults.push_back(fmt::format("The cluster has {} CTAs; .maxclusterrank of {} allows {}.",
                                   sheet.cluster->count(), s.entry, s.most_cluster));
    }
  } else if (s.explicit_cluster && !required) {
    faults.push_back(fmt::format(
        "The cluster is not given: {} says .explicitcluster, so --cluster X,Y,Z must say how many "
        "CTAs a cluster has.",
        s.entry));
    return;
  } else if (!required) {
    return;
  }
  const Extent c = sheet.cluster ? *sheet.cluster : s.required_cluster;
  if (!sheet.grid) return;
  const Extent& g = *sheet.grid;
  if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) {
    const auto up = [](uint32_t n, uint32_t step) {
      return (uint64_t{n} + step - 1) / step * step;
    };
    faults.push_back(fmt::format(
        "The grid of {} CTAs is no multiple of the cluster of {}; make it {}×{}×{}, say.", shape(g),
        shape(c), up(g.x, c.x), up(g.y, c.y), up(g.z, c.z)));
  }
}

}  // namespace

MatrixShape matrix_shape(const GemmSheet& g, int matrix) {
  if (matrix == 2) return {g.m, g.n, !g.column_c};
  const bool by_rows = g.layout.size() == 2 && g.layout[static_cast<size_t>(matrix)] == 'T';
  return matrix == 0 ? MatrixShape{g.m, g.k, by_rows} : MatrixShape{g.k, g.n, by_rows};
}

std::vector<std::string> faults_of(const Signature& s, const LaunchSheet& sheet) {
  Read read = read_arguments(s, sheet);
  std::vector<std::string> faults = std::move(read.faults);
  if (sheet.gemm) check_gemm(sheet, read, faults);
  if (sheet.expect) check_expectation(sheet, read.specs, faults);
  if (!sheet.grid) {
    faults.push_back("The grid is not given: --grid X,Y,Z says how many CTAs there are.");
  }
  const Extent& fixed = s.required_block;
  if (!sheet.block) {
    faults.push_back("The block is not given: --block X,Y,Z says how many threads a CTA has.");
  } else if (fixed.x != 0 && *sheet.block != fixed) {
    faults.push_back(fmt::format("The block is {}×{}×{}; .reqntid of {} says {}×{}×{}.",
                                 sheet.block->x, sheet.block->y, sheet.block->z, s.entry, fixed.x,
                                 fixed.y, fixed.z));
  } else if (s.most_block.x != 0 && sheet.block->count() > s.most_block.count()) {
    faults.push_back(fmt::format("The block has {} threads; .maxntid of {} allows {}.",
                                 model::grouped(static_cast<long long>(sheet.block->count())),
                                 s.entry,
                                 model::grouped(static_cast<long long>(s.most_block.count()))));
  }
  check_clusters(s, sheet, faults);
  try {
    if (sheet.grid) check_grid(*sheet.grid);
    if (sheet.block) check_block(*sheet.block);
    check_shared(sheet.shared);
  } catch (const SheetError& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

std::vector<ArgumentSpec> arguments_of(const Signature& s, const LaunchSheet& sheet) {
  Read read = read_arguments(s, sheet);
  if (!read.faults.empty()) throw SheetError(read.faults.front());
  std::vector<ArgumentSpec> specs;
  for (auto& spec : read.specs) specs.push_back(std::move(*spec));
  return specs;
}

}  // namespace tilescope::sheet
