// Random values of what calls carry, and whether two are the same, member by member. Each struct
// has a line that names all of its members: one that is added and left out here does not compile.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "worker/messages/calls.h"

#define TILESCOPE_MEMBERS(Type, ...) \
  inline auto members(Type& value) { \
    auto& [__VA_ARGS__] = value;     \
    return std::tie(__VA_ARGS__);    \
  }

namespace tilescope {
TILESCOPE_MEMBERS(Problem, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
TILESCOPE_MEMBERS(DeviceLimits, a, b, c, d, e, f, g, h, i, j, k, l)
TILESCOPE_MEMBERS(BlockIndex, a, b, c)
TILESCOPE_MEMBERS(Coord, a, b)
}  // namespace tilescope

namespace tilescope::sheet {
TILESCOPE_MEMBERS(Extent, a, b, c)
TILESCOPE_MEMBERS(GemmSheet, a, b, c, d, e, f, g, h, i, j)
TILESCOPE_MEMBERS(OtherKernel, a, b, c, d, e, f, g)
TILESCOPE_MEMBERS(Expectation::File, a, b)
TILESCOPE_MEMBERS(Expectation, a, b, c)
TILESCOPE_MEMBERS(LaunchSheet, a, b, c, d, e, f, g, h, i)
TILESCOPE_MEMBERS(Parameter, a, b, c, d, e, f, g)
TILESCOPE_MEMBERS(Signature, a, b, c, d, e, f, g, h, i, j, k)
TILESCOPE_MEMBERS(FoundLaunch, a, b, c, d, e, f, g)
}  // namespace tilescope::sheet

namespace tilescope::workload {
TILESCOPE_MEMBERS(Layer, a, b, c, d, e, f, g, h)
}  // namespace tilescope::workload

namespace tilescope::emulator {
TILESCOPE_MEMBERS(Dim3, a, b, c)
TILESCOPE_MEMBERS(SourceLine, a, b)
TILESCOPE_MEMBERS(Fault, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(StopCondition, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
TILESCOPE_MEMBERS(StepParts, a, b, c, d, e, f, g, h, i, j, k)
TILESCOPE_MEMBERS(StepAccess, a, b, c, d, e, f)
TILESCOPE_MEMBERS(StepPlace, a, b, c, d, e, f, g, h, i, j, k, l, m)
TILESCOPE_MEMBERS(StepSplit, a, b, c, d, e)
TILESCOPE_MEMBERS(StepPoll, a, b, c, d, e)
TILESCOPE_MEMBERS(StepCopies, a, b, c, d, e, f)
TILESCOPE_MEMBERS(StepWarp, a, b, c, d, e, f, g, h, i, j, k, l)
TILESCOPE_MEMBERS(StepBarrier, a, b, c)
TILESCOPE_MEMBERS(StepRegister, a, b, c, d, e, f)
TILESCOPE_MEMBERS(StepRegisters, a, b, c)
TILESCOPE_MEMBERS(StepBytes, a, b)
TILESCOPE_MEMBERS(StepState::Resident, a, b)
TILESCOPE_MEMBERS(StepWriters, a, b, c)
TILESCOPE_MEMBERS(StepWriters::Line, a, b)
TILESCOPE_MEMBERS(StepState, a, b, c, d, e, f, g, h, i, j, k, l, m)
}  // namespace tilescope::emulator

namespace tilescope::worker {
TILESCOPE_MEMBERS(StepStop, a, b, c, d)
TILESCOPE_MEMBERS(StepMotion, a, b, c)
TILESCOPE_MEMBERS(StepBuffer, a, b, c)
TILESCOPE_MEMBERS(StepFinding, a, b, c)
TILESCOPE_MEMBERS(StepChecks, a, b, c)
TILESCOPE_MEMBERS(StepAnswer, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(AccessBuffer, a, b, c, d, e, f, g, h, i, j, k, l)
TILESCOPE_MEMBERS(AccessInstruction, a, b, c)
TILESCOPE_MEMBERS(AccessPattern, a, b, c)
TILESCOPE_MEMBERS(AccessRecord, a, b, c, d, e, f, g, h, i, j, k)
TILESCOPE_MEMBERS(AccessAnswer, a, b, c, d, e, f, g, h, i, j, k)
TILESCOPE_MEMBERS(KernelRequest, a, b, c, d, e)
TILESCOPE_MEMBERS(DeviceInfo, a, b, c, d, e, f, g, h, i, j)
TILESCOPE_MEMBERS(CompileResult, a, b, c, d, e, f, g)
TILESCOPE_MEMBERS(CountedTraffic::Global, a, b, c)
TILESCOPE_MEMBERS(CountedTraffic::Shared, a, b, c, d)
TILESCOPE_MEMBERS(CountedTraffic::Line, a, b, c, d, e)
TILESCOPE_MEMBERS(CountedTraffic, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
TILESCOPE_MEMBERS(CodeFinding, a, b, c, d, e, f, g, h, i, j, k, l)
TILESCOPE_MEMBERS(CheckResult, a, b, c, d)
TILESCOPE_MEMBERS(EmulateResult, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(NoNumbers, a, b, c, d, e)
TILESCOPE_MEMBERS(Verification, a, b, c, d, e, f, g, h, i, j, k, l, m)
TILESCOPE_MEMBERS(ComparedSums, a, b, c, d, e, f, g, h, i)
TILESCOPE_MEMBERS(VerifiedPart, a, b, c, d, e)
TILESCOPE_MEMBERS(TraceEvent, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
TILESCOPE_MEMBERS(TracedLoop, a, b, c, d)
TILESCOPE_MEMBERS(TouchedBox, a, b, c, d, e)
TILESCOPE_MEMBERS(RawAccess, a, b, c, d, e, f, g, h, i, j, k)
TILESCOPE_MEMBERS(TraceResult, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
TILESCOPE_MEMBERS(OriginQuestion, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
TILESCOPE_MEMBERS(OriginResult::Step, a, b, c)
TILESCOPE_MEMBERS(OriginResult::Way, a, b)
TILESCOPE_MEMBERS(OriginResult, a, b, c, d, e, f, g, h, i, j)
TILESCOPE_MEMBERS(MeasureResult, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v,
                  w, x, y, z)
TILESCOPE_MEMBERS(LaunchBuffer, a, b, c, d)
TILESCOPE_MEMBERS(LaunchRequest::Extent, a, b, c)
TILESCOPE_MEMBERS(LaunchRequest, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
TILESCOPE_MEMBERS(RunRequest, a, b, c, d, e, f, g, h, i, j, k, l, m)
TILESCOPE_MEMBERS(GemmVerdict, a, b, c, d, e)
TILESCOPE_MEMBERS(BufferVerdict, a, b, c, d, e, f, g, h, i, j, k, l)
TILESCOPE_MEMBERS(RunAnswer, a, b, c, d, e, f, g, h, i)
TILESCOPE_MEMBERS(OpenRequest, a, b, c, d, e, f, g, h, i)
TILESCOPE_MEMBERS(InTheWay, a, b, c, d)
TILESCOPE_MEMBERS(OpenedKernel, a, b, c, d, e, f, g)
TILESCOPE_MEMBERS(CtaStores, a, b, c)
TILESCOPE_MEMBERS(StoresResult, a, b, c, d, e, f, g)
TILESCOPE_MEMBERS(OpenAnswer, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
TILESCOPE_MEMBERS(StepChoice, a, b)
TILESCOPE_MEMBERS(LayerRequest, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(MatrixCheck, a, b)
TILESCOPE_MEMBERS(LayerBar, a, b, c, d, e)
TILESCOPE_MEMBERS(StepTime, a, b)
TILESCOPE_MEMBERS(RankRun, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(LayerResult, a, b, c, d, e, f, g, h, i, j, k)
TILESCOPE_MEMBERS(KeptLayer, a, b, c, d, e)
TILESCOPE_MEMBERS(LayerAnswer, a, b)
TILESCOPE_MEMBERS(Proof, a, b, c, d, e, f, g, h, i, j, k)
TILESCOPE_MEMBERS(KnownResult, a, b, c, d, e, f, g, h, i, j, k, l)
TILESCOPE_MEMBERS(RecordedCard, a, b, c, d)
TILESCOPE_MEMBERS(SassLine, a, b, c, d)
TILESCOPE_MEMBERS(SassListing, a, b, c, d, e, f)
TILESCOPE_MEMBERS(CountersResult, a, b, c, d, e, f, g)
TILESCOPE_MEMBERS(OpinionTile, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
TILESCOPE_MEMBERS(SecondOpinion, a, b, c, d, e, f)
}  // namespace tilescope::worker

namespace tilescope::worker::calls {
inline std::tuple<> members(Nothing&) { return {}; }
TILESCOPE_MEMBERS(Kernel, a, b, c)
TILESCOPE_MEMBERS(Code, a, b, c)
TILESCOPE_MEMBERS(Bounds, a, b, c)
TILESCOPE_MEMBERS(Compile::Request, a, b, c)
TILESCOPE_MEMBERS(Compile::Answer, a, b, c, d)
TILESCOPE_MEMBERS(Standalone::Request, a)
TILESCOPE_MEMBERS(Standalone::Answer, a)
TILESCOPE_MEMBERS(Disassemble::Request, a, b, c)
TILESCOPE_MEMBERS(Tools::Tool, a, b, c, d)
TILESCOPE_MEMBERS(Tools::Answer, a)
TILESCOPE_MEMBERS(Emulate::Request, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(Emulate::Answer, a, b)
TILESCOPE_MEMBERS(Verify::Request, a, b)
TILESCOPE_MEMBERS(Check::Request, a, b, c, d, e)
TILESCOPE_MEMBERS(VerifyPart::Request, a, b, c, d, e, f)
TILESCOPE_MEMBERS(VerifyPart::Answer, a, b)
TILESCOPE_MEMBERS(Trace::Request, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(Step::Request, a, b, c, d, e, f, g, h, i, j, k, l)
TILESCOPE_MEMBERS(Accesses::Request, a, b, c, d, e, f)
TILESCOPE_MEMBERS(Run::Request, a, b)
TILESCOPE_MEMBERS(Run::Answer, a, b, c)
TILESCOPE_MEMBERS(Origin::Request, a, b, c, d, e)
TILESCOPE_MEMBERS(Stores::Request, a, b, c, d, e, f)
TILESCOPE_MEMBERS(Provenance::Request, a, b, c, d)
TILESCOPE_MEMBERS(Provenance::Answer, a)
TILESCOPE_MEMBERS(Layer::Request, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(LayerId::Answer, a)
TILESCOPE_MEMBERS(ProbeFragment::Request, a, b, c)
TILESCOPE_MEMBERS(ProbeFragment::Answer, a, b)
TILESCOPE_MEMBERS(Measure::Request, a, b, c, d, e, f, g, h, i, j)
TILESCOPE_MEMBERS(Measure::Answer, a, b, c, d, e, f, g, h)
TILESCOPE_MEMBERS(Counters::Request, a, b, c)
TILESCOPE_MEMBERS(Recorded::Request, a, b, c, d)
TILESCOPE_MEMBERS(Recorded::Answer, a, b, c, d, e)
TILESCOPE_MEMBERS(Results::Request, a, b, c, d, e)
TILESCOPE_MEMBERS(Results::Answer, a, b)
TILESCOPE_MEMBERS(Recordings::Request, a)
TILESCOPE_MEMBERS(Recordings::Answer, a, b)
TILESCOPE_MEMBERS(KeepLayer::Request, a, b)
TILESCOPE_MEMBERS(KeepLayer::Answer, a)
TILESCOPE_MEMBERS(KeptLayers::Request, a, b)
TILESCOPE_MEMBERS(KeptLayers::Answer, a)
TILESCOPE_MEMBERS(CheckStore::Request, a, b)
TILESCOPE_MEMBERS(CheckStore::Answer, a, b, c, d)
TILESCOPE_MEMBERS(Proofs::Answer, a)
TILESCOPE_MEMBERS(SecondOpinion::Request, a, b, c)
TILESCOPE_MEMBERS(Library::Answer, a, b, c)
TILESCOPE_MEMBERS(Devices::Request, a)
TILESCOPE_MEMBERS(Devices::Answer, a)
TILESCOPE_MEMBERS(Restart::Request, a)
TILESCOPE_MEMBERS(Restart::Answer, a)
TILESCOPE_MEMBERS(Status::Answer, a, b, c, d)
}  // namespace tilescope::worker::calls

namespace tilescope::worker {

template <class T, template <class...> class Of>
inline constexpr bool kIs = false;
template <template <class...> class Of, class... Parts>
inline constexpr bool kIs<Of<Parts...>, Of> = true;

class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  template <class T>
  T make() {
    T value{};
    fill(value);
    return value;
  }

 private:
  uint64_t number(uint64_t below) { return random_() % below; }

  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = number(2) == 1;
    } else if constexpr (std::is_same_v<T, std::byte>) {
      value = static_cast<std::byte>(number(256));
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(number(2));  // all have two
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(number(1u << 20)) / 64;
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(1 + number(100));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = "a\"é\n" + std::to_string(number(1000));
    } else if constexpr (std::is_same_v<T, std::shared_ptr<const nlohmann::json>>) {
      value = std::make_shared<const nlohmann::json>(
          nlohmann::json::array({number(9), make<std::string>()}));
    } else if constexpr (kIs<T, std::optional>) {
      value.reset();
      if (number(2) == 1) value = make<typename T::value_type>();
    } else if constexpr (kIs<T, std::vector>) {
      value.resize(number(3));
      for (auto& element : value) fill(element);
    } else if constexpr (kIs<T, std::map>) {
      for (uint64_t i = number(3); i > 0; --i) {
        fill(value[make<std::string>()]);
      }
    } else if constexpr (kIs<T, std::pair>) {
      fill(value.first), fill(value.second);
    } else if constexpr (std::is_same_v<T, TileConfig>) {
      for (const TileField& field : kTileFields) set(value, field.id, static_cast<int>(number(99)));
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      for (auto& element : value) fill(element);
    } else {
      std::apply([&](auto&... member) { (fill(member), ...); }, members(value));
      settle(value);
    }
  }

  // What a value cannot be.
  template <class T>
  void settle(T&) {}
  void settle(workload::Layer& layer) {
    const bool overlap = layer.overlap;
    layer = {};
    layer.overlap = overlap;
  }
  void settle(KeptLayer& kept) {
    const size_t steps = make_workload(kept.request.layer).steps.size();
    kept.request.choices.resize(steps, make<StepChoice>());
    kept.result.steps.resize(steps, make<StepTime>());
    for (LayerBar& bar : kept.result.bars) bar.step = bar.rank = 0;
  }
  void settle(LayerAnswer& answer) {
    if (answer.whole) answer.ranks.clear();
  }
  void settle(KnownResult& result) { result.judged = result.measured; }
  void settle(calls::Trace::Request& request) { settle_subject(request); }
  void settle(calls::Step::Request& request) {
    if (number(2) == 1) request.kept.clear();
    if (request.kept.empty()) return settle_subject(request);
    request.of.reset(), request.launch.reset();
  }
  void settle(calls::Origin::Request& request) { settle_subject(request); }
  void settle(calls::Measure::Request& request) { settle_subject(request); }
  void settle(calls::Disassemble::Request& request) {
    if (request.own) {
      request.of.reset();
    } else if (!request.of) {
      request.of = make<calls::Kernel>();
    }
  }
  void settle(calls::Accesses::Request& request) { settle_subject(request); }
  void settle(AccessAnswer& answer) {
    if (answer.patterns.empty() || answer.instructions.empty()) answer.records.clear();
    for (AccessRecord& r : answer.records) {
      r.pattern = static_cast<uint32_t>(number(answer.patterns.size()));
      r.instruction = static_cast<uint32_t>(number(answer.instructions.size()));
    }
  }
  template <class Request>
  void settle_subject(Request& request) {
    if (request.launch) {
      request.of.reset();
    } else if (!request.of) {
      request.of = make<calls::Kernel>();
    }
  }
  void settle(calls::ProbeFragment::Request& request) {
    if (request.atom || request.all) request.atoms.clear();
    if (request.atom) request.all = false;
  }
  void settle(calls::ProbeFragment::Answer& answer) {
    if (answer.alone) answer.proofs.resize(1, make<Proof>());
  }
  void settle(calls::Recorded::Answer& answer) {
    if (!answer.result) answer = {.remark = answer.remark};
  }

  std::mt19937 random_;
};

template <class T>
bool same(T& a, T& b) {
  if constexpr (kIs<T, std::optional>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (kIs<T, std::vector>) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (kIs<T, std::map>) {
    if (a.size() != b.size()) return false;
    for (auto& [key, value] : a) {
      if (!b.contains(key) || !same(value, b.at(key))) return false;
    }
    return true;
  } else if constexpr (std::is_same_v<T, std::shared_ptr<const nlohmann::json>>) {
    return *a == *b;
  } else if constexpr (std::is_same_v<T, TileConfig> || !requires { members(a); }) {
    return a == b;
  } else {
    auto of_a = members(a), of_b = members(b);
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return (same(std::get<I>(of_a), std::get<I>(of_b)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(of_a)>>());
  }
}

}  // namespace tilescope::worker
