// A run that can be put back to where it was: to its checkpoints at once, and to any tick by
// running on from one.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/run/turns.h"
#include "emulator/run/writers.h"
#include "emulator/step/conditions.h"
#include "emulator/step/pages.h"
#include "emulator/stepper.h"

namespace tilescope::emulator {

class Journey final : private Stepping, private Observer {
 public:
  Journey(std::shared_ptr<const Program> program, Launch launch, Memory memory,
          Stepper::Options options);
  ~Journey() override;
  /// Before all else; returns why it cannot run, one sentence, or an empty one.
  std::string begin(std::string_view entry);

  void go_to(uint64_t tick);
  /// Whether one was found; the run stands there.
  bool find(Stepper::Direction direction, std::span<const StopCondition> conditions);
  /// What the instruction at the present place accesses. It is run, and the run put back.
  std::vector<StepAccess> accesses();

  /// What a run of the launch from its beginning, with the checks, has found; the run stands at its
  /// beginning then. Ends at some limit (Fault::Kind::limit).
  RunResult checked();

  /// Nothing runs behind the present place.
  bool is_at_end() const { return stand_ == Stand::ended; }
  uint64_t now() const { return is_at_end() ? end_ : tick; }
  /// Of the present place; null if there is none.
  CtaRunner* runner() const { return turns_->runner(); }
  const Work& work() const { return work_; }
  const Turns& turns() const { return *turns_; }
  const GlobalPages& pages() const { return *pages_; }
  const LinesTold& lines() const { return lines_; }
  const Conditions& conditions() const { return *conditions_; }
  const Program& program() const { return *program_; }
  const Memory& memory() const { return memory_; }
  uint64_t checkpoints() const { return marks_.size(); }
  uint64_t kept_bytes() const;
  void cancel_by(const std::atomic<bool>* cancel) { run_options_.cancel = cancel; }

 private:
  struct Mark {
    uint64_t tick = 0;
    Turns::Saved turns;
    std::vector<std::array<PagedCopy, CtaRunner::kBulk>> bulk;  // by resident
    GlobalPages::Copy global;
    std::optional<Writers> writers;
    uint64_t bytes = 0;  // beside the pages
  };
  /// Where the run stands: it may go on; is over; or is in the midst of an instruction.
  enum class Stand : uint8_t { stopped, ended, lost };
  struct Found {};  // thrown out of an access

  void run_to(uint64_t stop);
  void run_on();
  void put_back(const Mark& mark);
  size_t mark_before(uint64_t at) const;
  void keep_mark();
  void plan_next_mark();
  void thin_out();
  void ask(std::span<const StopCondition> conditions);
  bool find_forward();
  bool find_backward();

  // Stepping
  void mark() override;
  bool stops_before(const CtaRunner& cta, uint32_t inst, uint32_t active, uint64_t at) override;
  // Observer
  bool tolerate(Context&, const Inst&, Fault::Kind, uint32_t, uint64_t, const char*) override {
    return false;
  }
  void access(Context&, const Inst&, Space, bool is_store, const uint64_t* addresses,
              int bytes) override;
  void pieces(Context&, const Inst&, Space, const uint64_t*, const std::byte*, uint32_t,
              int) override {}
  bool copy(Context&, const Inst&, const uint64_t* shared, std::byte* const* from,
            const uint32_t* from_bytes, int bytes) override;
  void bulk(Context&, const Inst&, const BulkPieces&) override;
  void complete(Context&, const Inst&, uint64_t) override {}
  void commit(Context&) override;
  void wait(Context&, uint32_t) override;
  void see(const Context& c, const Inst& in, Space space, bool reads, bool writes,
           const uint64_t* addresses, int bytes);
  /// `memory`: the CTA whose shared memory it is, `lanes` those that name it.
  void see_of(const Context& c, const Inst& in, Space space, bool reads, bool writes,
              CtaRunner* memory, uint32_t lanes, const uint64_t* addresses, int bytes);

  std::shared_ptr<const Program> program_;
  Launch launch_;
  Memory memory_;
  Stepper::Options options_;
  RunOptions run_options_;
  LinesTold lines_;
  PageCount page_count_;
  Work work_;
  std::unique_ptr<Counters> counters_;
  std::unique_ptr<Turns> turns_;
  std::unique_ptr<GlobalPages> pages_;
  std::unique_ptr<Conditions> conditions_;
  std::vector<uint8_t> own_flags_;            // without the conditions'
  std::vector<std::unique_ptr<Mark>> marks_;  // ascending; the first before anything ran
  Stand stand_ = Stand::stopped;
  uint64_t end_ = 0;         // tick behind the run, once that is known
  uint64_t start_tick_ = 0;  // where what runs now began
  // What is looked for.
  bool asks_ = false, collects_ = false;
  uint64_t after_ = 0, before_ = 0;  // stops lie behind the one and before the other
  std::optional<uint64_t> found_;
  std::vector<StepAccess>* watched_ = nullptr;  // what runs now tells its accesses
};

}  // namespace tilescope::emulator
