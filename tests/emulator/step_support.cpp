#include "step_support.h"

#include <algorithm>
#include <filesystem>

namespace tilescope::emulator::test {
namespace {

class Bits {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    bits_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& text) { bits_ += text + '\0'; }
  void add(const Dim3& d) { add(d.x), add(d.y), add(d.z); }
  void add(const SourceLine& s) { add(s.file), add(s.line); }
  template <class T>
  void add_all(const T& values) {
    add(values.size());
    for (const auto& v : values) add(v);
  }
  void add(std::byte b) { bits_ += static_cast<char>(b); }
  std::string take() { return std::move(bits_); }

 private:
  std::string bits_;
};

void add_warp(Bits& bits, const StepWarp& w) {
  bits.add(w.alive), bits.add(w.steps), bits.add(w.epoch), bits.add(w.loop), bits.add(w.iteration);
  bits.add(w.ran_ptx_line), bits.add(w.ran_lanes), bits.add(w.ran_step);
  bits.add_all(w.pending_groups);
  for (const StepCopies& c : w.copies) {
    bits.add(c.committed), bits.add(c.copies), bits.add(c.bytes), bits.add(c.ptx_line);
    bits.add(c.source), bits.add(c.step);
  }
  for (const StepSplit& s : w.splits) {
    bits.add(s.status), bits.add(s.lanes), bits.add(s.ptx_line), bits.add(s.barrier);
  }
  for (const StepPoll& p : w.polls) bits.add(p.lane), bits.add(p.address), bits.add(p.value);
}

StepCase gemm_case(const std::string& kernel, uint32_t shared, uint32_t k, uint32_t bytes) {
  StepCase c;
  c.name = c.entry = kernel;
  c.ptx = read_kernel(kernel + ".ptx");
  c.grid = {2, 1, 1};
  c.block = {256, 1, 1};
  c.dynamic_shared = shared;
  c.buffers = {uint64_t{128} * k * bytes, uint64_t{256} * k * bytes, 128 * 256 * 4};
  c.arguments = [k](std::vector<std::byte>& block, const std::vector<uint64_t>& at) {
    block = parameters(at[0], at[1], at[2], 128u, 256u, k);
  };
  c.fill = [k, bytes](Memory& memory, const std::vector<uint64_t>& at) {
    for (uint32_t b = 0; b < 2; ++b) {
      for (uint32_t i = 0; i < (b ? 256 : 128) * k; ++i) {
        const int v = small_value(i, b ? 77 : 1);
        if (bytes == 2) {
          data<uint16_t>(memory, at[b])[i] = half_of(v);
        } else {
          data<float>(memory, at[b])[i] = static_cast<float>(v) / 512;
        }
      }
    }
  };
  return c;
}

}  // namespace

StepCase::Made StepCase::make() const {
  Made made;
  for (size_t i = 0; i < buffers.size(); ++i) {
    made.addresses.push_back(made.memory.allocate("b" + std::to_string(i), buffers[i]));
  }
  if (fill) {
    fill(made.memory, made.addresses);
  } else {
    std::mt19937 random(27);
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (size_t w = 0; w < buffers[i] / 4; ++w) {
        data<uint32_t>(made.memory, made.addresses[i])[w] = random() % 8;
      }
    }
  }
  made.launch = {grid, block, dynamic_shared, {}};
  arguments(made.launch.parameters, made.addresses);
  return made;
}

std::unique_ptr<Stepper> StepCase::stepper(uint64_t interval, std::vector<Dim3> ctas) const {
  auto program = Program::parse(ptx, Registers::kept);
  if (!std::holds_alternative<std::shared_ptr<const Program>>(program)) {
    ADD_FAILURE() << name << std::get<1>(program).front().message;
    return nullptr;
  }
  Made made = make();
  Stepper::Options options;
  options.checkpoint_interval = interval;
  options.max_warp_instructions = limit;
  options.ctas = std::move(ctas);
  auto started = Stepper::start(std::get<0>(program), entry, std::move(made.launch),
                                std::move(made.memory), std::move(options));
  if (const std::string* wrong = std::get_if<std::string>(&started)) {
    ADD_FAILURE() << name << ": " << *wrong;
    return nullptr;
  }
  return std::get<0>(std::move(started));
}

RunResult StepCase::run_whole(Memory& memory_after, const RunOptions& options) const {
  Made made = make();
  memory_after = std::move(made.memory);
  return run(*parse(ptx), entry, made.launch, memory_after, options);
}

std::vector<std::string> fixture_files() {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(TILESCOPE_TEST_KERNELS)) {
    if (file.path().extension() == ".ptx") files.push_back(file.path().filename().string());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<StepCase> fixture_cases(const std::string& file) {
  std::vector<StepCase> cases;
  const std::string ptx = read_kernel(file);
  const auto program = parse(ptx);
  if (!program) return cases;
  for (const EntryInfo& info : program->entries()) {
    StepCase c;
    c.name = file + " " + info.name;
    c.ptx = ptx;
    c.entry = info.name;
    c.grid = {3, 1, 1};
    if (const Dim3& n = info.required_cluster; n.x != 0) c.grid = {2 * n.x, n.y, n.z};
    c.block = info.required_block.x ? info.required_block
                                    : Dim3{info.max_threads ? info.max_threads : 64, 1, 1};
    c.dynamic_shared = 98304;
    c.limit = 15000;
    for (const Parameter& p : info.parameters) {
      if (p.bytes == 8) c.buffers.push_back(1 << 16);
    }
    c.arguments = [info](std::vector<std::byte>& block, const std::vector<uint64_t>& at) {
      block.resize(info.parameter_bytes);
      size_t next = 0;
      for (const Parameter& p : info.parameters) {
        const uint32_t n = 32;
        if (p.bytes == 8) std::memcpy(block.data() + p.offset, &at[next++], 8);
        if (p.bytes == 4) std::memcpy(block.data() + p.offset, &n, 4);
      }
    };
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<StepCase> fixture_cases() {
  std::vector<StepCase> cases;
  for (const std::string& file : fixture_files()) {
    for (StepCase& c : fixture_cases(file)) cases.push_back(std::move(c));
  }
  return cases;
}

StepCase sgemm_case(uint32_t k) {
  StepCase c = gemm_case("sgemm_tiled", 0, k, 4);
  c.grid = {2, 1, 1};
  return c;
}
StepCase mma_case(uint32_t k) { return gemm_case("hgemm_mma", 98304, k, 2); }

std::string all_bits(const Stepper& stepper) {
  StepParts parts;
  parts.all_warps = parts.local = parts.written_pages = parts.writers = true;
  const StepState s = stepper.state(parts);
  Bits bits;
  bits.add(s.place.tick), bits.add(s.place.cta), bits.add(s.place.warp), bits.add(s.place.step);
  bits.add(s.place.active), bits.add(s.place.ptx_line), bits.add(s.place.source);
  bits.add(s.place.opcode), bits.add(s.place.epoch), bits.add(s.place.ended);
  bits.add(s.place.loop), bits.add(s.place.iteration);
  bits.add(s.place.fault ? s.place.fault->message : "");
  for (const auto& r : s.residents) bits.add(r.cta), bits.add(r.waits);
  bits.add(s.ctas_ended), bits.add(s.cta), bits.add(s.output);
  for (const StepWarp& w : s.warps) add_warp(bits, w);
  for (const StepBarrier& b : s.barriers)
    bits.add(b.id), bits.add(b.expected), bits.add_all(b.arrived);
  for (const StepRegisters& of_warp : s.registers) {
    for (const StepRegister& r : of_warp.registers)
      bits.add(r.name), bits.add(r.changed), bits.add(r.is_live);
    bits.add_all(of_warp.words);
  }
  bits.add_all(s.shared), bits.add_all(s.local);
  bits.add(s.writers.grain), bits.add_all(s.writers.entries);
  for (const StepBytes& b : s.global) bits.add(b.address), bits.add_all(b.bytes);
  return bits.take();
}

std::vector<StepPlace> walk(Stepper& stepper) {
  std::vector<StepPlace> places = {stepper.go_to(0)};
  while (!places.back().ended) places.push_back(stepper.go_to(places.back().tick + 1));
  return places;
}

}  // namespace tilescope::emulator::test
