#include "viz/scene/layer/layer_words.h"

#include "core/model/format.h"
#include "viz/scene/builder.h"

namespace tilescope::viz {

using workload::Matrix;
using workload::Pass;
using workload::Split;
using workload::Step;
using workload::StepKind;
using workload::Workload;

const char* words_of(StepKind kind) {
  switch (kind) {
    case StepKind::gemm:
      return "product";
    case StepKind::column_sum:
      return "column sums";
    case StepKind::all_reduce:
      return "all-reduce";
    case StepKind::all_gather:
      return "all-gather";
  }
  return "";
}

const char* words_of(Pass pass) { return pass == Pass::forward ? "forward" : "backward"; }

std::string name_words(std::string_view name) {
  constexpr std::string_view part = workload::kPartOf, sums = workload::kColumnSumsOf;
  if (name.starts_with(part)) return wording("part of {}", name_words(name.substr(part.size())));
  const size_t at = name.find(sums);
  if (at == std::string_view::npos) return std::string(name);
  return wording("{} = column sums of {}", name.substr(0, at), name.substr(at + sums.size()));
}

std::string pass_sentence(const Workload& w, Pass pass) {
  if (w.layer.ranks == 1) return tr("one rank has everything");
  std::string clauses;
  const auto add = [&](const std::string& clause) {
    clauses += (clauses.empty() ? "" : ", ") + clause;
  };
  bool travels = false;
  for (const Step& step : w.steps) {
    if (step.pass != pass) continue;
    travels = travels || is_collective(step);
    const Matrix& c = w.matrices[static_cast<size_t>(step.c)];
    if (step.kind != StepKind::gemm) continue;
    switch (c.split) {
      case Split::rows:
        add(wording("its rows of {}", c.name));
        break;
      case Split::cols:
        add(wording("its columns of {}", c.name));
        break;
      case Split::parts:
        add(wording("a part of {}", c.name.substr(std::string_view(workload::kPartOf).size())));
        break;
      case Split::whole:
        add(wording("all of {}", c.name));
        break;
    }
  }
  return travels ? wording("each rank: {}", clauses)
                 : wording("each rank: {}; nothing travels", clauses);
}

SliceWords slice_words(const Workload& w, int matrix, int rank, bool turned) {
  const Matrix& m = w.matrices[static_cast<size_t>(matrix)];
  const std::string bytes = model::bytes_text(held_bytes(w, matrix, rank));
  if (m.split == Split::whole) {
    if (w.layer.ranks == 1) return {bytes, bytes, bytes, "", ""};
    return {wording("on every rank: {}", bytes), bytes, tr("on all"), "", ""};
  }
  const workload::Slice slice = slice_of(w, matrix, rank);
  const std::string name = wording("rank {}", rank);
  if (m.split == Split::parts) {
    return {wording("rank {}: {}", rank, bytes), bytes, name, std::to_string(rank), ""};
  }
  const bool columns = (m.split == Split::cols) != turned;
  const int count = m.split == Split::cols ? slice.cols.count : slice.rows.count;
  const std::string what =
      columns ? wording("{} columns", grouped(count)) : wording("{} rows", grouped(count));
  return {wording("rank {}: {}, {}", rank, what, bytes), wording("rank {}: {}", rank, what), name,
          std::to_string(rank), what};
}

std::string extent_words(const Matrix& m, bool turned) {
  return turned ? grouped(m.cols) + " × " + grouped(m.rows)
                : grouped(m.rows) + " × " + grouped(m.cols);
}

FlopUnit flop_unit(double flop) {
  for (const FlopUnit& unit : {FlopUnit{"TFLOP", 1e12}, {"GFLOP", 1e9}, {"MFLOP", 1e6}}) {
    if (flop >= 0.1 * unit.flop) return unit;
  }
  return {};
}

std::string flop_text(double flop) {
  const FlopUnit unit = flop_unit(flop);
  return figure(flop / unit.flop) + " " + unit.name;
}

std::vector<LayerFact> pass_facts(const Workload& w, Pass pass) {
  double flop = 0, read = 0, written = 0, between = 0;
  for (const Step& step : w.steps) {
    if (step.pass != pass) continue;
    between += bytes_between_ranks(w, step);
    if (is_collective(step)) continue;
    flop += flop_of(w, step, 0);
    const double result = held_bytes(w, step.c, 0);
    written += result, read += least_bytes(w, step, 0) - result;
  }
  return {{"a rank computes", flop_text(flop)},
          {"reads at least", model::bytes_text(read)},
          {"writes", model::bytes_text(written)},
          {"FLOP / B", figure(flop / (read + written))},
          {"sends and gets", model::bytes_text(between)}};
}

}  // namespace tilescope::viz
