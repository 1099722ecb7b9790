// The proofs of what only moves elements: ldmatrix, stmatrix, movmatrix, and wmma's load and store.
// Each element holds its own number, so one run says where every output came from.
#include <fmt/format.h>

#include <cstring>

#include "worker/engine/probe/probe.h"
#include "worker/engine/probe/probe_image.h"
#include "worker/engine/probe/probe_text.h"

namespace tilescope::worker {
namespace {

/// Element i of `elements` carries i + 1: zeros and what nobody wrote name none.
int64_t tag_of(int64_t element) { return element + 1; }

std::string place_words(const ProbePlace& p, const ProbeSide& side, const char* name) {
  const std::string element = side.words(name, side.index(p));
  return p.thread < 0
             ? fmt::format("{} in memory", element)
             : fmt::format("Thread {}, value {}, by the map {}", p.thread, p.value, element);
}

/// Each output place has to hold the tag of its own element.
void compare_tags(const ProbeSide& out, const std::vector<std::byte>& output, bool integers,
                  const char* name, FactCheck& comparison) {
  for (const ProbePlace& p : out.places) {
    int64_t number = 0;
    if (integers) {
      uint16_t bits;
      std::memcpy(&bits, output.data() + p.bit / 8, sizeof bits);
      number = bits;
    } else {
      number = code_number(out.type, output.data() + p.bit / 8);
    }
    comparison.fact(number == tag_of(out.index(p)), [&] {
      return fmt::format("{}, holds {}; expected {}", place_words(p, out, name),
                         out.words(name, number - 1), out.words(name, out.index(p)));
    });
  }
}

void put_tag(std::byte* to, int64_t element) {
  const auto tag = static_cast<uint16_t>(tag_of(element));
  std::memcpy(to, &tag, sizeof tag);
}

/// Where line r of shared memory goes: a scrambled order, so that no lane's address follows from
/// its neighbour's. 29 is odd, so every line has a place of its own.
constexpr size_t line_offset(int row) {
  return static_cast<size_t>((row * 29 + 11) % kMoveLines) * kMatrixRowBytes;
}
constexpr size_t place_offset(int row, int col) {
  return line_offset(row) + 2 * static_cast<size_t>(col);
}

/// Register halves as they go in or come out: all elements numbered.
std::vector<std::byte> numbered_registers(const ProbeSide& side) {
  std::vector<std::byte> image(side.bytes);
  for (const ProbePlace& p : side.places) put_tag(image.data() + p.bit / 8, side.index(p));
  return image;
}

}  // namespace

void prove_wmma_moves(const model::Instruction& instruction, ProbeMachine& machine,
                      FactCheck& comparison) {
  const MmaAtom& atom = instruction.mma;
  const auto prove_part = [&](WmmaPart part, Order order) {
    const FragmentLayout& f = wmma_fragment(atom, part);
    const ElementType type = wmma_type(atom, part);
    const ProbeSide registers = register_side(f, type);
    const ProbeSide memory = memory_side(f.rows, f.cols, type, order);
    const bool is_store = part == WmmaPart::d;
    const ProbeSide &from = is_store ? registers : memory, &to = is_store ? memory : registers;
    ProbeKernel kernel;
    kernel.ptx = probe_header(probe_target(atom, instruction.min_sm)) +
                 wmma_entry(atom, part, order, kernel.entry);
    kernel.min_sm = instruction.min_sm;
    kernel.output_bytes = to.bytes;
    ProbeInputs inputs;
    add_image(inputs[0], from, [&](const ProbePlace& p) { return tag_of(from.index(p)); });
    std::vector<std::byte> output;
    const ProbeRun run{};
    machine.load(kernel, inputs)->run({&run, 1}, output);
    const char* const names[] = {"A", "B", "C", "D"};
    compare_tags(to, output, false, names[static_cast<int>(part)], comparison);
  };
  prove_part(WmmaPart::a, atom.order_a);
  prove_part(WmmaPart::b, atom.order_b);
  for (Order order : {Order::row_major, Order::column_major}) {
    prove_part(WmmaPart::c, order);
    prove_part(WmmaPart::d, order);
  }
}

void prove_move(const model::Instruction& instruction, ProbeMachine& machine,
                FactCheck& comparison) {
  const MatrixMove& move = instruction.move;
  const bool across = move.kind == MatrixMoveKind::movmatrix;
  const bool is_store = move.kind == MatrixMoveKind::stmatrix;
  // Of the 16-bit types f16 has the bits that count here: none is looked at.
  const ProbeSide registers = register_side(move.registers, ElementType::f16);
  ProbeKernel kernel;
  kernel.ptx =
      probe_header(probe_target(move.kind)) + move_entry(move, instruction.name, kernel.entry);
  kernel.min_sm = instruction.min_sm;
  kernel.output_bytes = is_store ? size_t{kMoveBytes} : registers.bytes;

  // Shared memory before: tags where ldmatrix is to read, and lines of 0xffff that nobody is to
  // touch. Lanes that give no address point at such lines, each at one of its own.
  const int rows = kMatrixRows * move.matrices;
  ProbeInputs inputs;
  std::vector<std::byte> shared(kMoveBytes, std::byte{0xff}), lanes(128);
  for (int row = 0; row < rows && !is_store; ++row) {
    for (int col = 0; col < kMatrixRows; ++col) {
      put_tag(shared.data() + place_offset(row, col), registers.index(0, row, col));
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    const int row = !across && lane < move.address.size() ? move.address(lane) : lane;
    const auto address = static_cast<uint32_t>(line_offset(row));
    std::memcpy(lanes.data() + 4 * static_cast<size_t>(lane), &address, sizeof address);
  }
  inputs[0] = {shared.size(), shared};
  inputs[1] = {lanes.size(), lanes};
  const std::vector<std::byte> numbered = numbered_registers(registers);
  inputs[2] = {numbered.size(), numbered};
  std::vector<std::byte> output;
  const ProbeRun run{};
  machine.load(kernel, inputs)->run({&run, 1}, output);

  if (!is_store) {
    const ProbeSide to = across ? register_side(move.result, ElementType::f16) : registers;
    return compare_tags(to, output, true, across ? "the matrix" : "the rows", comparison);
  }
  // All of shared memory: the rows that were addressed hold their elements, the rest is untouched.
  for (int row = 0; row < kMoveLines; ++row) {
    for (int col = 0; col < kMatrixRows; ++col) {
      uint16_t found;
      std::memcpy(&found, output.data() + place_offset(row, col), sizeof found);
      const int64_t expected = row < rows ? tag_of(registers.index(0, row, col)) : 0xffff;
      comparison.fact(found == expected, [&] {
        if (row >= rows)
          return std::string("A line that no lane of a matrix addresses was written");
        return fmt::format("Row {}, column {} in shared memory holds {}; expected {}", row, col,
                           registers.words("the rows", found - 1),
                           registers.words("the rows", expected - 1));
      });
    }
  }
}

}  // namespace tilescope::worker
