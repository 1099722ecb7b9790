#include "worker/engine/probe/probe_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope::worker {
namespace {

/// As PTX wants the registers of an operand declared.
const char* register_type(ElementType type) {
  return type == ElementType::f64 ? "f64" : type == ElementType::f32 ? "f32" : "b32";
}

std::string list_of(const char* prefix, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i ? ", " : "", prefix, i);
  return "{" + text + "}";
}

std::string declare(const char* prefix, ElementType type, int count) {
  return fmt::format("  .reg .{} %{}<{}>;\n", register_type(type), prefix, count);
}
std::string load(const char* prefix, ElementType type, int count, const char* from) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  ld.global.{} %{}{}, [{}+{}];\n", register_type(type), prefix, i, from,
                        i * (element_bits(type) > 32 ? 8 : 4));
  }
  return text;
}
std::string store(const char* prefix, ElementType type, int count, const char* to) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  st.global.{} [{}+{}], %{}{};\n", register_type(type), to,
                        i * (element_bits(type) > 32 ? 8 : 4), prefix, i);
  }
  return text;
}

/// Up to where %in0 … %in2 point at this run's images, %out at its output, %t is the thread.
std::string begin(const std::string& name, const size_t (&image_bytes)[3], size_t output_bytes) {
  std::string text = fmt::format(
      ".visible .entry {0}(\n  .param .u64 {0}_runs, .param .u64 {0}_in0, .param .u64 {0}_in1,\n"
      "  .param .u64 {0}_in2, .param .u64 {0}_out)\n{{\n"
      "  .reg .pred %p<2>;\n  .reg .b32 %t, %run, %image, %base, %word, %index, %place;\n"
      "  .reg .b64 %runs, %in<3>, %out, %from, %descriptor_a, %descriptor_b;\n"
      "  mov.u32 %run, %ctaid.x;\n  mov.u32 %t, %tid.x;\n"
      "  ld.param.u64 %runs, [{0}_runs];\n  cvta.to.global.u64 %runs, %runs;\n"
      "  mad.wide.u32 %runs, %run, {1}, %runs;\n",
      name, sizeof(ProbeRun));
  for (int i = 0; i < 3; ++i) {
    if (image_bytes[i] == 0) continue;
    text += fmt::format(
        "  ld.param.u64 %in{0}, [{1}_in{0}];\n  cvta.to.global.u64 %in{0}, %in{0};\n"
        "  ld.global.u32 %image, [%runs+{2}];\n  mad.wide.u32 %in{0}, %image, {3}, %in{0};\n",
        i, name, 4 * i, image_bytes[i]);
  }
  return text + fmt::format(
                    "  ld.param.u64 %out, [{0}_out];\n  cvta.to.global.u64 %out, %out;\n"
                    "  mad.wide.u32 %out, %run, {1}, %out;\n",
                    name, output_bytes);
}
std::string to_thread(const char* pointer, int bytes) {
  return fmt::format("  mad.wide.u32 {0}, %t, {1}, {0};\n", pointer, bytes);
}
const char* const kEnd = "  ret;\n}\n";

/// Copies `words` words from global memory to the shared array `name`, whose address becomes %base.
std::string copy_to_shared(int words, int threads, const char* from, const std::string& name) {
  return fmt::format(
      "  mov.u32 %base, {3};\n  mov.u32 %index, %t;\n"
      "copy_{3}:\n  setp.ge.u32 %p0, %index, {0};\n  @%p0 bra copied_{3};\n"
      "  mad.wide.u32 %from, %index, 4, {2};\n  ld.global.u32 %word, [%from];\n"
      "  shl.b32 %place, %index, 2;\n  add.u32 %place, %place, %base;\n"
      "  st.shared.u32 [%place], %word;\n  add.u32 %index, %index, {1};\n  bra.uni copy_{3};\n"
      "copied_{3}:\n",
      words, threads, from, name);
}
/// The same of an operand of wgmma, and its descriptor in a register.
std::string tile_in_shared(const MmaAtom& atom, Operand operand) {
  const bool is_a = operand == Operand::a;
  const std::string name = is_a ? "tile_a" : "tile_b", from = is_a ? "%in0" : "%in1",
                    descriptor = is_a ? "%descriptor_a" : "%descriptor_b";
  const int room = wgmma_room(atom, operand);
  return fmt::format(
             "  .shared .align 1024 .b8 {0}[{1}];\n  ld.global.u64 {2}, [{3}];\n"
             "  add.s64 {3}, {3}, {4};\n",
             name, room, descriptor, from, kWgmmaHeadBytes) +
         copy_to_shared(room / 4, atom.threads(), from.c_str(), name) +
         fmt::format(
             "  shr.u32 %place, %base, 4;\n  and.b32 %place, %place, 16383;\n"
             "  cvt.u64.u32 %from, %place;\n  add.s64 {0}, {0}, %from;\n",
             descriptor);
}

bool is_fp8(ElementType type) { return type == ElementType::e4m3 || type == ElementType::e5m2; }

}  // namespace

ProbeTarget probe_target(const MmaSpec& s, int min_sm) {
  if (s.kind == MmaKind::wgmma)
    return {s.type_a == s.type_b || is_fp8(s.type_a) ? "8.0" : "8.4", "sm_90a"};
  ProbeTarget t;
  t.target = fmt::format("sm_{}", min_sm);
  t.version = min_sm >= 89 ? "7.8" : min_sm >= 80 ? "7.0" : min_sm >= 75 ? "6.5" : "6.4";
  if (s.op == BitOp::xor_popc) t.version = "7.0";
  if (s.op == BitOp::and_popc) t.version = "7.1";
  if (is_fp8(s.type_a)) {
    t.version = s.k == 32 && s.type_d == ElementType::f32 ? "8.4" : "8.7";
  }
  return t;
}
ProbeTarget probe_target(MatrixMoveKind kind) {
  if (kind == MatrixMoveKind::ldmatrix) return {"6.5", "sm_75"};
  return {"7.8", kind == MatrixMoveKind::stmatrix ? "sm_90" : "sm_75"};
}

std::string probe_header(const ProbeTarget& target) {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n", target.version, target.target);
}

SharedTile WgmmaPlace::tile(const MmaAtom& atom, Operand operand) const {
  return operand == Operand::a ? wgmma_tile(layout, atom.m, atom.type_a)
                               : wgmma_tile(layout, atom.n, atom.type_b);
}
unsigned long long WgmmaPlace::descriptor(const MmaAtom& atom, Operand operand) const {
  const auto start = wgmma_start(static_cast<unsigned>(wgmma_step_bytes(step)));
  return wgmma_descriptor(tile(atom, operand)) + start;
}
int wgmma_room(const MmaAtom& atom, Operand operand) {
  int most = 0;
  for (const WgmmaLayout& layout : kWgmmaLayouts) {
    if (!wgmma_takes(layout, atom.type_a)) continue;
    most = std::max(most, WgmmaPlace{layout}.tile(atom, operand).size_bytes());
  }
  return most;
}

std::string mma_entry(const MmaAtom& atom, const std::string& instruction, const std::string& name,
                      const WgmmaForm& form) {
  const auto threads = static_cast<size_t>(atom.threads());
  const auto whole = [&](const FragmentLayout& f) {
    return threads * static_cast<size_t>(thread_bytes(f));
  };
  const auto shared = [&](Operand operand) {
    return static_cast<size_t>(kWgmmaHeadBytes + wgmma_room(atom, operand));
  };
  const size_t bytes[3] = {form.a_in_shared ? shared(Operand::a) : whole(atom.a),
                           atom.b_in_shared ? shared(Operand::b) : whole(atom.b), whole(atom.c)};
  const int a = atom.a.registers(), b = atom.b.registers(), c = atom.c.registers(),
            d = atom.d.registers();
  std::string text = begin(name, bytes, whole(atom.d));
  for (const auto& [pointer, fragment] : {std::pair{"%in2", &atom.c}, {"%out", &atom.d}}) {
    text += to_thread(pointer, thread_bytes(*fragment));
  }
  if (!form.a_in_shared) {
    text += to_thread("%in0", thread_bytes(atom.a)) + declare("a", atom.type_a, a) +
            load("a", atom.type_a, a, "%in0");
  }
  if (!atom.b_in_shared) {
    text += to_thread("%in1", thread_bytes(atom.b));
    text += declare("b", atom.type_b, b) + load("b", atom.type_b, b, "%in1");
    text += declare("c", atom.type_c, c) + load("c", atom.type_c, c, "%in2");
    text += declare("d", atom.type_d, d);
    text += fmt::format("  {}\n    {},\n    {},\n    {},\n    {};\n", instruction, list_of("d", d),
                        list_of("a", a), list_of("b", b), list_of("c", c));
  } else {
    // C and D are the same registers; the fences as the ISA's "Async proxy" asks for them.
    text += declare("d", atom.type_d, d) + load("d", atom.type_d, d, "%in2");
    if (form.a_in_shared) text += tile_in_shared(atom, Operand::a);
    text += tile_in_shared(atom, Operand::b);
    const bool half = element_bits(atom.type_a) == 16;
    const bool real = element_bits(atom.type_a) >= 8 && atom.type_d != ElementType::s32;
    const auto flag = [&](bool turned) { return !half ? "" : turned ? ", 1" : ", 0"; };
    text += fmt::format(
        "  fence.proxy.async;\n  bar.sync 0;\n  setp.eq.u32 %p1, %t, %t;\n"
        "  wgmma.fence.sync.aligned;\n  {}\n    {},\n    {}, %descriptor_b, %p1{}{}{};\n"
        "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n",
        instruction, list_of("d", d), form.a_in_shared ? "%descriptor_a" : list_of("a", a),
        real ? ", 1, 1" : "", form.a_in_shared ? flag(form.a_turned) : "", flag(form.b_turned));
  }
  return text + store("d", atom.type_d, d, "%out") + kEnd;
}

const FragmentLayout& wmma_fragment(const MmaAtom& atom, WmmaPart part) {
  switch (part) {
    case WmmaPart::a:
      return atom.a;
    case WmmaPart::b:
      return atom.b;
    case WmmaPart::c:
      return atom.c;
    default:
      return atom.d;
  }
}
ElementType wmma_type(const MmaAtom& atom, WmmaPart part) {
  switch (part) {
    case WmmaPart::a:
      return atom.type_a;
    case WmmaPart::b:
      return atom.type_b;
    case WmmaPart::c:
      return atom.type_c;
    default:
      return atom.type_d;
  }
}

std::string wmma_entry(const MmaAtom& atom, WmmaPart part, Order order, const std::string& name) {
  const FragmentLayout& f = wmma_fragment(atom, part);
  const ElementType type = wmma_type(atom, part);
  const auto registers = 32 * static_cast<size_t>(thread_bytes(f));
  const auto matrix = static_cast<size_t>(f.rows * f.cols * f.bits / 8);
  const bool is_store = part == WmmaPart::d;
  const size_t bytes[3] = {is_store ? registers : matrix, 0, 0};
  std::string text = begin(name, bytes, is_store ? matrix : registers);
  const char letter = "abcd"[static_cast<int>(part)];
  const bool rows = order == Order::row_major;
  const std::string instruction = fmt::format(
      "wmma.{}.{}.sync.aligned.{}.m{}n{}k{}.global.{}", is_store ? "store" : "load", letter,
      rows ? "row" : "col", atom.m, atom.n, atom.k, type == ElementType::f32 ? "f32" : "f16");
  const std::string list = list_of("x", f.registers());
  const int stride = rows ? f.cols : f.rows;
  text += declare("x", type, f.registers());
  text += to_thread(is_store ? "%in0" : "%out", thread_bytes(f));
  if (is_store) {
    text += load("x", type, f.registers(), "%in0");
    text += fmt::format("  {} [%out], {}, {};\n", instruction, list, stride);
  } else {
    text += fmt::format("  {} {}, [%in0], {};\n", instruction, list, stride);
    text += store("x", type, f.registers(), "%out");
  }
  return text + kEnd;
}

std::string move_entry(const MatrixMove& move, const std::string& instruction,
                       const std::string& name) {
  const int registers = move.registers.registers();
  const size_t held = 32 * static_cast<size_t>(thread_bytes(move.registers));
  const std::string list = list_of("x", registers);
  const bool across = move.kind == MatrixMoveKind::movmatrix;
  const bool is_store = move.kind == MatrixMoveKind::stmatrix;
  const size_t bytes[3] = {across ? 0 : size_t{kMoveBytes}, across ? 0 : size_t{128},
                           across || is_store ? held : 0};
  std::string text = begin(name, bytes, is_store ? size_t{kMoveBytes} : held);
  text += declare("x", ElementType::s32, registers);
  if (bytes[2] != 0) {
    text += to_thread("%in2", thread_bytes(move.registers));
    text += load("x", ElementType::s32, registers, "%in2");
  }
  if (across) {
    text += fmt::format("  {} %x0, %x0;\n", instruction);
  } else {
    text += fmt::format("  .shared .align 128 .b8 tile[{}];\n", kMoveBytes);
    text += copy_to_shared(kMoveBytes / 4, 32, "%in0", "tile");
    text += to_thread("%in1", 4);
    text += "  bar.sync 0;\n  ld.global.u32 %place, [%in1];\n  add.u32 %place, %place, %base;\n";
    text += is_store ? fmt::format("  {} [%place], {};\n  bar.sync 0;\n", instruction, list)
                     : fmt::format("  {} {}, [%place];\n", instruction, list);
  }
  if (is_store) {
    text += to_thread("%out", 4);
    for (int i = 0; i < kMoveBytes / 128; ++i) {
      text += fmt::format(
          "  shl.b32 %place, %t, 2;\n  add.u32 %place, %place, %base;\n"
          "  ld.shared.u32 %word, [%place+{0}];\n  st.global.u32 [%out+{0}], %word;\n",
          128 * i);
    }
  } else {
    text += to_thread("%out", thread_bytes(move.registers));
    text += store("x", ElementType::s32, registers, "%out");
  }
  return text + kEnd;
}

}  // namespace tilescope::worker
