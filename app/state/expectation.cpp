#include "app/state/expectation.h"

#include "app/state/residency.h"

namespace tilescope {
namespace {

model::CompiledFacts compiled_facts(const AppState& state) {
  const worker::CompileResult* told = compiled(state);
  if (!told) return {};
  return {.registers = told->registers, .spill_bytes = told->spill_bytes};
}

void predict(AppState& state) {
  Derived& d = state.derived;
  d.prediction = model::predict(d.plan, state.edit.problem, d.launch, d.traffic, state.gpu,
                                d.compiled, expected_dram_read(state));
}

}  // namespace

L2Question l2_question(const AppState& state) {
  const Derived& d = state.derived;
  const int ctas =
      model::expected_ctas_per_sm(d.plan, d.launch, state.limits, compiled_facts(state).registers);
  return {d.plan, state.edit.problem, model::l2_machine(state.gpu, ctas)};
}

bool l2_known(const AppState& state) {
  return state.derived.legal() && state.derived.l2 &&
         state.derived.l2_machine == l2_question(state).machine;
}

void take_l2(AppState& state, const L2Question& of, const model::L2Traffic& traffic) {
  if (!state.derived.legal() || !(of == l2_question(state))) return;
  state.derived.l2 = std::make_shared<const model::L2Traffic>(traffic);
  state.derived.l2_machine = of.machine;
  predict(state);
}

void expect_again(AppState& state) {
  if (!state.derived.legal() || !state.derived.kernel) return;
  const model::CompiledFacts facts = compiled_facts(state);
  if (facts == state.derived.compiled) return;
  state.derived.compiled = facts;
  predict(state);
}

std::optional<double> expected_dram_read(const AppState& state) {
  if (!state.derived.l2) return std::nullopt;
  return state.derived.l2->read;
}

model::Traffic expected_traffic(const AppState& state) {
  model::Traffic t = state.derived.traffic;
  const auto read = expected_dram_read(state);
  const double kernel = t.dram.read - t.packed_bytes;  // without the pass before it
  if (!read || kernel <= 0) return t;
  const double more = (*read + t.packed_bytes) / t.dram.read;
  t.dram.read *= more, t.dram.read_elements *= more;
  t.dram.flop_per_byte = flops(state.edit.problem) / t.dram.all(model::Count::bytes);
  return t;
}

}  // namespace tilescope
