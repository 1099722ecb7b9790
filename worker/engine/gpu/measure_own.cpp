#include "worker/engine/gpu/measure_own.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "core/sheet/sheet_error.h"
#include "worker/engine/emulate/sheet_gemm.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/printed_output.h"
#include "worker/engine/gpu/sheet_kernel.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

/// Launches whose CTAs all wait for each other are of another call of the driver.
void refuse_other_launches(const emulator::Program& program, const std::string& entry) {
  for (const emulator::ParseError& error : program.errors_of(entry)) {
    if (error.message.find("%envreg") == std::string::npos) continue;
    fail(kUsage, sheet::demangled(entry).name +
                     " asks for a launch whose CTAs all wait for each other (cooperative), and "
                     "kernels of your own are launched on a card without; leave that out.");
  }
}

/// As text that every program can show.
std::string readable(const std::string& printed) {
  using nlohmann::json;
  return json::parse(json(printed).dump(-1, ' ', false, json::error_handler_t::replace))
      .get<std::string>();
}

class OwnMeasurement {
 public:
  OwnMeasurement(GpuSession& session, const LaunchRequest& launch, const OtherLaunch& other,
                 const Code& code, const MeasureOptions& options)
      : session_(session),
        options_(options),
        launch_(launch),
        other_(other),
        program_(read_program(launch.ptx)) {
    refuse_other_launches(*program_, launch.sheet->entry);
    if (launch.sheet->gemm) problem_ = problem_of(*launch.sheet);
    // Another problem's matrices would take memory from this one's.
    if (!problem_) session.forget_problem();
    kernel_.emplace(session.gpu(), launch, *program_, code);
  }

  OwnMeasured run() {
    OwnMeasured all{.result = measured_here(session_, options_.ordinal)};
    all.result.registers = kernel_->registers();
    all.result.spill_bytes = kernel_->local_bytes();
    session_.set_time_limit(0);  // our own kernels end
    if (problem_) make_reference();
    options_.check_cancelled();
    session_.set_time_limit(options_.time_limit);
    all.printed = first_launch();
    if (problem_) {
      all.gemm = verdict();
      all.gemm->verified.ctas = all.gemm->verified.of_ctas = launch_.sheet->grid->count();
      all.result.verified = all.gemm->verified;
    }
    reference_ = {};
    all.expected = expected_on_card(session_.gpu(), launch_, *kernel_, other_);
    const bool right = (!all.gemm || all.gemm->verified.ok) &&
                       std::ranges::all_of(all.expected, &BufferVerdict::ok);
    if (right && !options_.only_verify) time(all);
    all.result.final = true;
    return all;
  }

 private:
  /// In double precision on the card, of matrices that nobody has touched.
  void make_reference() {
    const Gpu& gpu = session_.gpu();
    const auto elements = static_cast<size_t>(operand_elements(*problem_, Operand::c));
    const auto free = static_cast<double>(gpu.free_bytes());
    const double needed = 8.0 * static_cast<double>(elements);
    if (needed > free) fail(kMissing, memory_sentence(gpu.name(), needed, free));
    reference_ = GpuBuffer(gpu, elements * sizeof(double));
    const sheet::GemmSheet& g = *launch_.sheet->gemm;
    session_.tools().reference(*problem_, kernel_->address(g.a), kernel_->address(g.b),
                               kernel_->address(g.c), 0, reference_.address());
    gpu.synchronize("the reference's kernel");
  }

  std::string first_launch() try {
    kernel_->enqueue();
    session_.gpu().synchronize(kernel_->name());
    session_.gpu().write_printed();
    std::string printed = readable(printed_.text());
    printed_.ignore();
    if (!printed.empty()) {
      options_.say(kernel_->name() + " prints, which takes time in each launch that is timed.");
    }
    return printed;
  } catch (RpcError& error) {
    const std::string printed = readable(printed_.text());
    if (!printed.empty()) error.data["log"] = printed;
    throw;
  }

  /// Read back once and compared here, as the emulator's.
  GemmVerdict verdict() const {
    const sheet::GemmSheet& g = *launch_.sheet->gemm;
    const auto n = static_cast<size_t>(problem_->n);
    std::vector<double> exact(static_cast<size_t>(operand_elements(*problem_, Operand::c)));
    reference_.read(exact.data(), exact.size() * sizeof(double));
    const std::vector<std::byte> c = kernel_->read(g.c);
    const ExactPart part = [&](const Rect& rect, std::span<double> out) {
      for (int i = 0; i < rect.rows; ++i) {
        const auto row = static_cast<size_t>(rect.row + i), cols = static_cast<size_t>(rect.cols);
        std::copy_n(exact.data() + row * n + static_cast<size_t>(rect.col), cols,
                    out.data() + static_cast<size_t>(i) * cols);
      }
    };
    const GemmRounding rounding = rounding_of(*program_, launch_.sheet->entry);
    GemmMatrices matrices{.c = c.data()};
    GemmVerdict verdict =
        compare_gemm(*problem_, matrices, rounding, part, host_threads(), options_.cancelled);
    if (verdict.verified.ok) return verdict;
    const auto a = kernel_->first(g.a), b = kernel_->first(g.b), before = kernel_->first(g.c);
    matrices.a = a.data(), matrices.b = b.data(), matrices.c_before = before.data();
    verdict.layout = right_layouts(*problem_, matrices, rounding);
    return verdict;
  }

  void time(OwnMeasured& all) {
    const int c = problem_ ? launch_.sheet->gemm->c : -1;
    Timed timed{.name = kernel_->name(), .enqueue = [this] { kernel_->enqueue(); }};
    timed.one_by_one = kernel_->writes_beside(c);
    const bool adds_up = problem_ && problem_->beta != 0;
    if (timed.one_by_one || adds_up) timed.before = [this] { kernel_->restore(); };
    kernel_->restore();
    const L2Flush flush(session_.gpu());
    time_launches(session_, flush, timed, problem_ ? flops(*problem_) : 0, library(), options_,
                  all.result);
  }

  /// On the kernel's own A and B, and a C of its own.
  std::optional<LibraryOperands> library() {
    if (!problem_ || !options_.library) return std::nullopt;
    std::optional<LibraryOperands> on;
    session_.set_time_limit(0);
    try {
      on = session_.problem(*problem_).library_operands();
      on->a = kernel_->address(launch_.sheet->gemm->a);
      on->b = kernel_->address(launch_.sheet->gemm->b);
    } catch (const RpcError& error) {  // memory that it lacks is no failure of the kernel's
      if (error.exit_code != kMissing) throw;
      options_.say("Not compared with a library: " + error.message);
    }
    session_.set_time_limit(options_.time_limit);
    return on;
  }

  GpuSession& session_;
  const MeasureOptions& options_;
  const LaunchRequest& launch_;
  const OtherLaunch& other_;
  std::shared_ptr<const emulator::Program> program_;
  std::optional<Problem> problem_;  // of a GEMM
  PrintedOutput printed_;
  std::optional<SheetKernel> kernel_;
  GpuBuffer reference_;
};

}  // namespace

OwnMeasured measure_own(GpuSession& session, const LaunchRequest& launch, const OtherLaunch& other,
                        const Code& code, const MeasureOptions& options) try {
  if (!launch.sheet || !launch.sheet->grid || !launch.sheet->block) {
    fail(kUsage, "A launch on a card needs a sheet with grid and block.");
  }
  return OwnMeasurement(session, launch, other, code, options).run();
} catch (const sheet::SheetError& error) {
  fail(kUsage, error.what());
}

}  // namespace tilescope::worker
