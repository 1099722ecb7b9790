// A stepped run in words and numbers: places, warps, registers, bytes of shared memory.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/step/step_view.h"
#include "core/layout/warp_access.h"

namespace tilescope {

/// IEEE half and bfloat16 as they lie in 16 bits.
float half_value(uint16_t bits);
float bfloat_value(uint16_t bits);

/// The bits of a number in at most `most` characters: of a real as many digits as fit, of an
/// integer too long for that the last digits of its hexadecimal form, "…3a40". `bits`: 8 to 64.
std::string short_number(NumberForm form, int bits, uint64_t value, size_t most);
/// With all digits.
std::string whole_number(NumberForm form, int bits, uint64_t value);
/// Characters that a cell of this form needs.
size_t cell_characters(NumberForm form);
/// Of `automatic` what the PTX calls the register: %f reals, %p predicates, all others integers.
NumberForm form_of_register(NumberForm chosen, const emulator::StepRegister& r);

/// A register over the lanes of a warp.
struct RegisterRow {
  std::string name;      // "%f12"; of an inlined function "%f12 of function 2"
  std::string ptx_name;  // "%f12"
  uint8_t bits = 32;     // 1: a predicate
  bool is_live = false;
  uint32_t changed = 0;  // lanes
  bool uniform = false;  // all lanes that count have the same
  std::array<uint64_t, 32> values{};
};
/// By name and number, predicates last. `lanes` count for what is uniform; 0: all of them.
std::vector<RegisterRow> register_rows(const emulator::StepRegisters& of, uint32_t lanes);

/// Lanes of a warp that run what it runs next, and those that have not ended.
struct WarpLanes {
  uint32_t active = 0, alive = 0;
};
WarpLanes lanes_of(const emulator::StepState& state, int warp);

/// "0…15, 31", "all 32 lanes".
std::string lanes_words(uint32_t lanes);

/// What a warp does, in two parts: "at barrier 0", "for warps 2, 5".
struct WarpWords {
  enum class Kind { next, ready, waits, ended } kind = Kind::ready;
  std::string doing = {}, where = {};  // "line 55 · k 11"
  std::string tip = {};
  uint32_t lanes = 0;
};
/// One for each place where lanes of it stand.
std::vector<WarpWords> warp_words(const emulator::StepState& state, int warp);
/// "1 next · 3 ready · 4 waiting · 0 ended".
std::string warps_summary(const emulator::StepState& state);

/// "CTA 0,0 warp 0: line 55 · k step 11 · fma.rn.f32 at PTX 279 · step 738 · tick 12,565". Lines
/// of another file than `file` name it.
std::string place_words(const emulator::StepPlace& place, std::string_view file);
std::string cta_name(const emulator::Dim3& cta);

/// The access of the next instruction to shared memory; nothing: it makes none.
std::optional<WarpAccess> shared_access(const emulator::StepState& state);
/// "ld.shared.f32: 32 lanes, 4 B each, 8 words; 1 wavefront, ideal".
std::string shared_access_words(const emulator::StepState& state);
/// Distinct words of the access on each bank.
std::array<int, kBanks> words_on_banks(const WarpAccess& access);

/// Who wrote some bytes of shared memory last, each once, in the order of the bytes; none where
/// nobody has written, or where it was not asked for.
struct ByteWriter {
  int byte = 0;  // the first of its
  emulator::StepWriter by;
  std::string words;  // "warp 2, lane 17 at line 54, PTX 301, step 1,118"
};
std::vector<ByteWriter> writers_of_bytes(const emulator::StepState& state, int byte, int bytes);

/// A part of shared memory that the plan names: "A, stage 2".
struct SharedPart {
  std::string name;
  int first = 0, bytes = 0;
  Operand operand = Operand::c;
};
/// All of it first; of a kernel without a plan that alone.
std::vector<SharedPart> shared_parts(const AppState& state, size_t bytes);
/// Of a byte: what the plan has there; nothing in padding, or without a plan.
struct SharedByte {
  std::string words;  // "A[17, 3] of stage 2"
  Operand operand = Operand::c;
  int element_bytes = 4;
};
std::optional<SharedByte> shared_byte(const AppState& state, int byte);
/// How words of shared memory are read, and how wide an element is.
struct SharedForm {
  NumberForm form = NumberForm::f32;
  int bytes = 4;
};
SharedForm shared_form(const AppState& state, NumberForm chosen);

/// Motions worth offering: what a person may want to run until.
struct UntilOffer {
  std::string motion, words;
};
std::vector<UntilOffer> until_offers(const AppState& state);

/// The question after the origin of a register's value at the place; nothing if it cannot be asked.
std::optional<worker::OriginQuestion> origin_of_register(const AppState& state, int warp,
                                                         const std::string& name, int lane);
/// The same of an element of shared memory: as its last writer has left it.
std::optional<worker::OriginQuestion> origin_of_shared(const AppState& state, int byte);

}  // namespace tilescope
