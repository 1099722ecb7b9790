// The proof that D = A·B + C with the elements where core/layout says; the argument:
// docs/proofs.md.
#include <fmt/format.h>

#include <algorithm>

#include "core/instructions/wgmma_words.h"
#include "worker/engine/probe/probe.h"
#include "worker/engine/probe/probe_image.h"
#include "worker/engine/probe/probe_text.h"

namespace tilescope::worker {
namespace {

// Images of A and B: zeros, ones, ones where k = 0, 1, …, then the digits of the index codes. C has
// no k.
constexpr uint32_t kZeros = 0, kOnes = 1, kFirstK = 2;

enum class Numbered { a, b, c };

struct Unit {
  Numbered numbered;
  int k = 0;
  size_t place = 0;  // of the numbered operand; the others lie in their first
};

/// Where wgmma's operands lie in shared memory, one place after the other; A has none if it lies in
/// registers. Those of one operand are all K-major or all MN-major.
struct Places {
  std::vector<WgmmaPlace> a, b{WgmmaPlace{}};
};

class ProductProof {
 public:
  ProductProof(const model::Instruction& instruction, ProbeMachine& machine, FactCheck& comparison,
               const Places& places = {})
      : atom_(instruction.mma),
        comparison_(comparison),
        places_(places),
        a_(sides(Operand::a, atom_.a, atom_.type_a, places.a)),
        b_(sides(Operand::b, atom_.b, atom_.type_b,
                 atom_.b_in_shared ? places.b : std::vector<WgmmaPlace>())),
        c_{register_side(atom_, atom_.c, atom_.type_c)},
        d_(register_side(atom_, atom_.d, atom_.type_d)) {
    ProbeKernel kernel;
    const WgmmaForm form{!places.a.empty(), !places.a.empty() && !places.a[0].layout.k_major,
                         !places.b[0].layout.k_major};
    kernel.ptx = probe_header(probe_target(atom_, instruction.min_sm)) +
                 mma_entry(atom_, instruction.name, kernel.entry, form);
    kernel.min_sm = instruction.min_sm;
    kernel.only_this_sm = atom_.kind == MmaKind::wgmma;
    kernel.threads = static_cast<uint32_t>(atom_.threads());
    kernel.output_bytes = d_.bytes;
    ProbeInputs inputs{images_of(Numbered::a), images_of(Numbered::b), images_of(Numbered::c)};
    job_ = machine.load(kernel, inputs);
  }

  void run() {
    for (int k = 0; k < atom_.k; ++k) add({Numbered::a, k}), add({Numbered::b, k});
    add({Numbered::c});
    flush();
  }
  /// Of one operand alone the places from `first` on: all but it is known.
  void run_alone(Numbered which, size_t first) {
    for (size_t place = first; place < all(which).size(); ++place) {
      for (int k = 0; k < atom_.k; ++k) add({which, k, place});
    }
    flush();
  }

 private:
  std::vector<ProbeSide> sides(Operand operand, const FragmentLayout& fragment, ElementType type,
                               const std::vector<WgmmaPlace>& places) const {
    if (places.empty()) return {register_side(atom_, fragment, type)};
    std::vector<ProbeSide> made;
    for (const WgmmaPlace& place : places) made.push_back(wgmma_side(atom_, operand, place));
    return made;
  }
  const std::vector<ProbeSide>& all(Numbered which) const {
    return which == Numbered::a ? a_ : which == Numbered::b ? b_ : c_;
  }
  /// Of the first place, as those of all have the same elements.
  const ProbeSide& side(Numbered which) const { return all(which)[0]; }
  int64_t base(const ProbeSide& s) const { return std::min(code_base(s.type), code_base(d_.type)); }
  int digits(const ProbeSide& s) const { return digits_of(s.elements(), base(s)); }
  uint32_t first_digit(Numbered which) const {
    return which == Numbered::c ? kFirstK : kFirstK + static_cast<uint32_t>(atom_.k);
  }

  /// Images of one place.
  uint32_t images(Numbered which) const {
    return first_digit(which) + static_cast<uint32_t>(digits(side(which)));
  }
  ProbeImages images_of(Numbered which) const {
    ProbeImages images;
    for (const ProbeSide& s : all(which)) append_images(images, s, which);
    return images;
  }
  void append_images(ProbeImages& images, const ProbeSide& s, Numbered which) const {
    add_image(images, s, [](const ProbePlace&) { return 0; });
    add_image(images, s, [](const ProbePlace&) { return 1; });
    for (int k = 0; which != Numbered::c && k < atom_.k; ++k) {
      add_image(images, s, [&](const ProbePlace& p) {
        return (which == Numbered::a ? p.col : p.row) == k ? 1 : 0;
      });
    }
    int64_t scale = 1;
    for (int i = 0; i < digits(s); ++i, scale *= base(s)) {
      add_image(images, s, [&](const ProbePlace& p) { return s.index(p) / scale % base(s); });
    }
  }

  /// Runs that one number of a unit takes: xor needs three, see number().
  int runs_a_number(Numbered which) const {
    return atom_.op == BitOp::xor_popc && which != Numbered::c ? 3 : 1;
  }
  void add(Unit unit) {
    const uint32_t of_k = kFirstK + static_cast<uint32_t>(unit.k);
    for (int i = -1; i < digits(side(unit.numbered)); ++i) {
      const uint32_t place = static_cast<uint32_t>(unit.place) * images(unit.numbered);
      const uint32_t numbered =
          place + (i < 0 ? kOnes : first_digit(unit.numbered) + static_cast<uint32_t>(i));
      ProbeRun run{};
      if (unit.numbered == Numbered::a) run = {numbered, of_k, kZeros};
      if (unit.numbered == Numbered::b) run = {of_k, numbered, kZeros};
      if (unit.numbered == Numbered::c) run = {kZeros, kZeros, numbered};
      runs_.push_back(run);
      if (runs_a_number(unit.numbered) == 3) {
        runs_.push_back({run[0], kZeros, kZeros});
        runs_.push_back({kZeros, run[1], kZeros});
      }
    }
    units_.push_back(unit);
    if (runs_.size() * d_.bytes >= kProbeChunkBytes) flush();
  }
  void flush() {
    if (runs_.empty()) return;
    job_->run(runs_, output_);
    const std::byte* at = output_.data();
    for (const Unit& unit : units_) at = compare(unit, at);
    runs_.clear(), units_.clear();
  }

  /// Σab of an output. Bits: popc(a xor b) = Σa + Σb − 2Σab, and the sums are runs of their own.
  int64_t number(const std::byte* at, int runs) const {
    const int64_t first = code_number(d_.type, at);
    if (runs == 1) return first;
    const int64_t only_a = code_number(d_.type, at + d_.bytes),
                  only_b = code_number(d_.type, at + 2 * d_.bytes);
    const int64_t twice = only_a + only_b - first;
    return first < 0 || only_a < 0 || only_b < 0 || twice < 0 || twice % 2 != 0 ? kNoNumber
                                                                                : twice / 2;
  }

  const std::byte* compare(const Unit& unit, const std::byte* outputs) {
    const ProbeSide& numbered = side(unit.numbered);
    const int runs = runs_a_number(unit.numbered), count = digits(numbered);
    const size_t step = d_.bytes * static_cast<size_t>(runs);
    for (const ProbePlace& p : d_.places) {
      const std::byte* at = outputs + p.bit / 8;
      const int64_t present = number(at, runs);
      int64_t found = 0, scale = 1;
      for (int i = 0; i < count; ++i, scale *= base(numbered)) {
        const int64_t digit = number(at + step * static_cast<size_t>(i + 1), runs);
        found = digit < 0 || found < 0 ? kNoNumber : found + digit * scale;
      }
      const int64_t expected =
          numbered.index(p.group, unit.numbered == Numbered::b ? unit.k : p.row,
                         unit.numbered == Numbered::a ? unit.k : p.col);
      comparison_.fact(present == 1 && found == expected,
                       [&] { return sentence(unit, p, present, found, expected); });
    }
    return outputs + step * static_cast<size_t>(count + 1);
  }

  /// Where the numbered operand lies, if in shared memory.
  std::string place_words(const Unit& unit) const {
    if (unit.numbered == Numbered::c || side(unit.numbered).head == 0) return {};
    const bool is_a = unit.numbered == Numbered::a;
    const WgmmaPlace& place = (is_a ? places_.a : places_.b)[unit.place];
    return fmt::format("{} in shared memory, {}, {} B from the line's start", is_a ? "A" : "B",
                       model::wgmma_layout_words(place.layout), wgmma_step_bytes(place.step));
  }
  std::string sentence(const Unit& unit, const ProbePlace& p, int64_t present, int64_t found,
                       int64_t expected) const {
    const ProbeSide& numbered = side(unit.numbered);
    const char* name = unit.numbered == Numbered::a   ? "A"
                       : unit.numbered == Numbered::b ? "B"
                                                      : "C";
    const std::string lies = place_words(unit);
    const std::string where =
        fmt::format("{}hread {}, value {} of D, by the map {}", lies.empty() ? "T" : lies + ": t",
                    p.thread, p.value, d_.words("D", d_.index(p)));
    const std::string what = unit.numbered == Numbered::c
                                 ? std::string("adds")
                                 : fmt::format("multiplies, where {} has k = {},",
                                               unit.numbered == Numbered::a ? "B" : "A", unit.k);
    const std::string wanted = numbered.words(name, expected);
    if (present < 0)
      return fmt::format("{}, {} what is no number; expected {}", where, what, wanted);
    if (present != 1) {
      return fmt::format("{}, {} {} elements of {}; expected {} alone", where, what, present, name,
                         wanted);
    }
    return fmt::format("{}, {} {}; expected {}", where, what, numbered.words(name, found), wanted);
  }

  const MmaAtom& atom_;
  FactCheck& comparison_;
  const Places places_;
  const std::vector<ProbeSide> a_, b_, c_;
  const ProbeSide d_;
  std::unique_ptr<ProbeJob> job_;
  std::vector<ProbeRun> runs_;
  std::vector<Unit> units_;
  std::vector<std::byte> output_;
};

/// All places of one kind, the first that of the first proof if it is one of them.
std::vector<WgmmaPlace> places_of(bool k_major) {
  std::vector<WgmmaPlace> places;
  for (const WgmmaLayout& layout : kWgmmaLayouts) {
    if (layout.k_major != k_major) continue;
    for (int step = 0; step < layout.steps(); ++step) places.push_back({layout, step});
  }
  return places;
}

// Both operands of a wgmma in every layout of shared memory, one at a time: the other lies as in
// the first proof. Each form of the instruction is a kernel of its own.
void prove_wgmma(const model::Instruction& instruction, ProbeMachine& machine,
                 FactCheck& comparison) {
  for (const bool k_major : {true, false}) {
    if (!wgmma_takes({Swizzle::none, k_major}, instruction.mma.type_a)) continue;
    ProductProof b(instruction, machine, comparison, {{}, places_of(k_major)});
    if (k_major) b.run();
    b.run_alone(Numbered::b, k_major ? 1 : 0);
    ProductProof(instruction, machine, comparison, {places_of(k_major), {WgmmaPlace{}}})
        .run_alone(Numbered::a, 0);
  }
}

}  // namespace

void prove_product(const model::Instruction& instruction, ProbeMachine& machine,
                   FactCheck& comparison) {
  ProbeKernel kernel;
  kernel.min_sm = instruction.min_sm;
  kernel.only_this_sm = instruction.mma.kind == MmaKind::wgmma;
  machine.require(kernel);  // before anything is made
  if (instruction.mma.kind == MmaKind::wgmma) return prove_wgmma(instruction, machine, comparison);
  ProductProof(instruction, machine, comparison).run();
}

}  // namespace tilescope::worker
