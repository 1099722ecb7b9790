#include "app/cli/step_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "app/cli/cli_error.h"
#include "app/cli/step_shown.h"
#include "core/model/format.h"
#include "worker/messages/motion.h"

namespace tilescope::cli {
namespace {

using emulator::StepPlace;
using emulator::StepRegister;
using emulator::StepRegisters;
using emulator::StepSplit;
using emulator::StepState;
using emulator::StepWarp;

/// In the words of the table and of the document alike.
const char* status_word(StepSplit::Status status) {
  switch (status) {
    case StepSplit::Status::next:
      return "next";
    case StepSplit::Status::ready:
      return "ready";
    case StepSplit::Status::at_barrier:
      return "at_barrier";
    case StepSplit::Status::waits_for_lanes:
      return "waits_for_lanes";
    case StepSplit::Status::waits_for_memory:
      return "waits_for_memory";
    case StepSplit::Status::waits_for_warpgroup:
      return "waits_for_warpgroup";
    case StepSplit::Status::waits_for_cluster:
      return "waits_for_cluster";
  }
  return "unknown";
}

Json cta_json(const emulator::Dim3& c) { return {c.x, c.y, c.z}; }

Json place_json(const StepPlace& p) {
  return {{"tick", p.tick},
          {"cta", cta_json(p.cta)},
          {"warp", p.warp},
          {"step", p.step},
          {"ptx_line", line_json(p.ptx_line)},
          {"file", p.source.file},
          {"line", line_json(p.source.line)},
          {"opcode", p.opcode},
          {"lanes", p.active},
          {"epoch", p.epoch},
          {"loop", p.loop >= 0 ? Json(p.loop) : Json()},
          {"iteration", p.iteration >= 0 ? Json(p.iteration) : Json()},
          {"ended", p.ended},
          {"fault", p.fault ? Json(p.fault->message) : Json()}};
}

Json warp_json(const StepWarp& w, size_t number) {
  Json splits = Json::array(), polls = Json::array(), copies = Json::array();
  for (const emulator::StepCopies& c : w.copies) {
    copies.push_back({{"committed", c.committed},
                      {"copies", c.copies},
                      {"bytes", c.bytes},
                      {"ptx_line", line_json(c.ptx_line)},
                      {"line", line_json(c.source.line)},
                      {"step", c.step}});
  }
  for (const StepSplit& s : w.splits) {
    splits.push_back(
        {{"state", status_word(s.status)},
         {"lanes", s.lanes},
         {"ptx_line", line_json(s.ptx_line)},
         {"line", line_json(s.source.line)},
         {"barrier", s.status == StepSplit::Status::at_barrier ? Json(s.barrier) : Json()}});
  }
  for (const emulator::StepPoll& p : w.polls) {
    polls.push_back({{"lane", p.lane}, {"address", p.address}, {"value", p.value}});
  }
  return {{"warp", number},
          {"alive", w.alive},
          {"splits", splits},
          {"polls", polls},
          {"steps", w.steps},
          {"epoch", w.epoch},
          {"iteration", w.iteration >= 0 ? Json(w.iteration) : Json()},
          {"pending_groups", *std::ranges::max_element(w.pending_groups)},
          {"copies", copies},
          {"ran_ptx_line", line_json(w.ran_ptx_line)}};
}

/// Of a predicate one mask, else a number a lane.
std::vector<uint64_t> values_of(const StepRegisters& of, const StepRegister& r) {
  std::vector<uint64_t> values;
  const uint32_t* words = of.words.data() + r.first;
  if (r.bits == 1) return {words[0]};
  for (size_t lane = 0; lane < 32; ++lane) {
    values.push_back(r.bits == 64 ? words[2 * lane] | uint64_t{words[2 * lane + 1]} << 32
                                  : words[lane]);
  }
  return values;
}

Json registers_json(const StepState& state) {
  Json all = Json::array();
  for (const StepRegisters& of : state.registers) {
    for (const StepRegister& r : of.registers) {
      all.push_back({{"warp", of.warp},
                     {"name", r.name},
                     {"function", r.function},
                     {"bits", r.bits},
                     {"changed", r.changed},
                     {"live", r.is_live},
                     {"values", values_of(of, r)}});
    }
  }
  return all;
}

// PTX names reals %f and %fd; where a compiler does not, the bits are shown.
std::string value_text(const StepRegister& r, uint64_t value) {
  if (r.bits == 64 && r.name.starts_with("%fd")) {
    return fmt::format("{:.6g}", std::bit_cast<double>(value));
  }
  if (r.bits == 32 && r.name.starts_with("%f")) {
    return fmt::format("{:.6g}", std::bit_cast<float>(static_cast<uint32_t>(value)));
  }
  return value < 100'000 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

std::string cta_text(const emulator::Dim3& c) { return fmt::format("{},{},{}", c.x, c.y, c.z); }

void print_place(const std::string& kernel, const worker::StepAnswer& answer) {
  const StepPlace& p = answer.state.place;
  const std::string line =
      p.source.line > 0 ? fmt::format(" ({}:{})", p.source.file, p.source.line) : "";
  const std::string iteration =
      p.iteration >= 0 ? fmt::format(", iteration {}", model::grouped(p.iteration)) : "";
  if (!answer.found) print("No further stop that way.");
  if (p.fault) {
    print(fmt::format("{}: the run ends at tick {} with a fault: {}", kernel, p.tick,
                      p.fault->message));
  } else if (p.ended) {
    print(fmt::format("{}: the run has ended, at tick {}", kernel, p.tick));
  } else {
    print(
        fmt::format("{}: CTA {}, warp {} before {} at PTX line {}{}; lanes {}; tick {}, step {}{}",
                    kernel, cta_text(p.cta), p.warp, p.opcode, p.ptx_line, line,
                    lanes_text(p.active), p.tick, p.step, iteration));
  }
}

void print_warps(const StepState& state) {
  Table table({"warp", "state", "PTX", "line", "lanes", "steps", "barriers", "groups"}, "rlrrrrrr");
  for (size_t w = 0; w < state.warps.size(); ++w) {
    const StepWarp& warp = state.warps[w];
    const std::string groups = std::to_string(*std::ranges::max_element(warp.pending_groups));
    if (warp.splits.empty()) {
      table.add({std::to_string(w), "ended", "", "", "", std::to_string(warp.steps),
                 std::to_string(warp.epoch), groups});
    }
    for (const StepSplit& s : warp.splits) {
      const std::string at = s.status == StepSplit::Status::at_barrier
                                 ? fmt::format("at barrier {}", s.barrier)
                                 : status_word(s.status);
      table.add({std::to_string(w), at, s.ptx_line ? std::to_string(s.ptx_line) : "",
                 s.source.line ? std::to_string(s.source.line) : "", lanes_text(s.lanes),
                 std::to_string(warp.steps), std::to_string(warp.epoch), groups});
    }
  }
  table.print();
}

void print_registers(const StepRegisters& of, int lanes) {
  std::vector<std::string> head = {"", "register"};
  std::string right = "ll";
  for (int lane = 0; lane < lanes; ++lane) {
    head.push_back("lane " + std::to_string(lane));
    right += 'r';
  }
  Table table(head, right);
  for (const StepRegister& r : of.registers) {
    std::vector<std::string> row = {r.changed ? "*" : "", r.name};
    const std::vector<uint64_t> values = values_of(of, r);
    for (size_t lane = 0; lane < static_cast<size_t>(lanes); ++lane) {
      row.push_back(r.bits == 1 ? std::to_string(values[0] >> lane & 1)
                                : value_text(r, values[lane]));
    }
    table.add(std::move(row));
  }
  print(fmt::format("Registers of warp {} (* written by its last instruction)", of.warp));
  table.print();
}

void print_bytes(const ShownBytes& shown) {
  constexpr size_t kLine = 16;
  print(shown.name);
  for (size_t at = 0; at < shown.bytes.size(); at += kLine) {
    std::string line = fmt::format("  +{:<8}", shown.offset + at);
    for (size_t i = at; i < std::min(at + kLine, shown.bytes.size()); ++i) {
      line += fmt::format(" {:02x}", static_cast<unsigned>(shown.bytes[i]));
    }
    print(line);
  }
}

std::string hex_of(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

}  // namespace

void keep_registers(worker::StepAnswer& answer, const std::vector<std::string>& names) {
  for (StepRegisters& of : answer.state.registers) {
    for (const std::string& name : names) {
      if (std::ranges::none_of(of.registers,
                               [&](const StepRegister& r) { return r.name == name; })) {
        bad(fmt::format("--registers {} is none of the kernel's {} registers", name,
                        of.registers.size()));
      }
    }
    std::erase_if(of.registers, [&](const StepRegister& r) {
      return std::ranges::find(names, r.name) == names.end();
    });
  }
}

Json step_json(const std::string& kernel, const worker::StepAnswer& answer,
               const std::vector<ShownBytes>& bytes, const StepShown& shown) {
  const StepState& state = answer.state;
  Json warps = Json::array(), residents = Json::array(), barriers = Json::array();
  Json memory = Json::array();
  for (size_t w = 0; w < state.warps.size(); ++w) warps.push_back(warp_json(state.warps[w], w));
  for (const auto& r : state.residents) {
    residents.push_back({{"cta", cta_json(r.cta)}, {"waits", r.waits}});
  }
  for (const emulator::StepBarrier& b : state.barriers) {
    barriers.push_back({{"barrier", b.id},
                        {"expected", b.expected ? Json(b.expected) : Json()},
                        {"arrived", b.arrived}});
  }
  for (const ShownBytes& b : bytes) {
    memory.push_back({{"buffer", b.name}, {"offset", b.offset}, {"bytes", hex_of(b.bytes)}});
  }
  Json writers;
  if (shown.writers) writers = writers_json(state, bytes);
  return {{"kernel", kernel},
          {"found", answer.found},
          {"place", place_json(state.place)},
          {"residents", residents},
          {"ctas_ended", state.ctas_ended},
          {"warps", warps},
          {"barriers", barriers},
          {"registers", registers_json(state)},
          {"memory", memory},
          {"writers", writers},
          {"checks", answer.checks ? checks_json(*answer.checks) : Json()},
          {"output", state.output}};
}

void print_step(const std::string& kernel, const worker::StepAnswer& answer,
                const std::vector<ShownBytes>& bytes, const StepShown& shown) {
  print_place(kernel, answer);
  const StepState& state = answer.state;
  if (state.residents.size() > 1) {
    std::string text;
    for (const auto& r : state.residents) {
      text += (text.empty() ? "" : "; ") + cta_text(r.cta) + (r.waits ? " waits" : "");
    }
    print("CTAs that have begun and not ended: " + text);
  }
  print_warps(state);
  for (const StepRegisters& of : state.registers) {
    if (!of.registers.empty()) print_registers(of, std::clamp(shown.lanes, 1, 32));
  }
  for (const ShownBytes& b : bytes) print_bytes(b);
  if (shown.writers) print_writers(state, bytes);
  if (answer.checks) print_checks(*answer.checks);
  if (!state.output.empty()) print_text("Printed so far:\n" + state.output);
}

void print_motions(bool json) {
  if (json) {
    Json all = Json::array();
    for (const worker::MotionWord& w : worker::motion_words()) {
      all.push_back({{"form", w.form}, {"what", w.what}});
    }
    return print_json(all);
  }
  Table table({"motion", "stops before"});
  for (const worker::MotionWord& w : worker::motion_words()) table.add({w.form, w.what});
  table.print();
}

}  // namespace tilescope::cli
