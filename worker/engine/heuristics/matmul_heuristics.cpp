#include "worker/engine/heuristics/matmul_heuristics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "kernels/registry.h"
#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"
#include "worker/engine/heuristics/heuristic_cards.h"

namespace tilescope::worker {
namespace {

using namespace heuristics;

constexpr const char* kFix =
    "install the wheel nvidia-matmul-heuristics (0.1), or set TILESCOPE_MATMUL_HEURISTICS to "
    "its library.";

std::vector<std::string> candidates(const std::string& given) {
  const std::vector<std::string> names = {"libnvMatmulHeuristics.so.0"};
  if (!given.empty()) return candidates_at(given, names);
  std::vector<std::string> all;
  for (const std::string& folder : heuristics_folders()) all.push_back(folder + "/" + names[0]);
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

/// The library's letters: A and B, what is computed in, C. Both kinds of f16 sums are in f32.
const char* precision_of(const tilescope::Problem& p) {
  struct Row {
    ElementType in, out;
    const char* letters;
  };
  constexpr Row kRows[] = {{ElementType::f16, ElementType::f32, "HSS"},
                           {ElementType::f16, ElementType::f16, "HSH"},
                           {ElementType::bf16, ElementType::f32, "TSS"},
                           {ElementType::e4m3, ElementType::f32, "QSS"}};
  for (const Row& row : kRows) {
    if (p.type_a == row.in && p.type_b == row.in && p.type_c == row.out) return row.letters;
  }
  return nullptr;
}

/// A and B alone: which way C lies, it does not ask.
heuristics::Problem problem_of(const tilescope::Problem& p) {
  const bool a = p.order_a == Order::column_major, b = p.order_b == Order::column_major;
  const Layout layout = a ? (b ? kLayoutTT : kLayoutTN) : (b ? kLayoutNT : kLayoutNN);
  return {static_cast<uint32_t>(p.m), static_cast<uint32_t>(p.n), static_cast<uint32_t>(p.k), 1,
          layout};
}

const Slider* slider_of(const KernelEntry& kernel, TileFieldId field) {
  for (int i = 0; i < kernel.sliders.count; ++i) {
    if (kernel.sliders.slider[i].field == field) return &kernel.sliders.slider[i];
  }
  return nullptr;
}

Configuration configuration_of(const KernelPlan& plan) {
  Configuration c{};
  const auto set = [](uint16_t(&to)[3], int m, int n, int k) {
    to[0] = static_cast<uint16_t>(m), to[1] = static_cast<uint16_t>(n);
    to[2] = static_cast<uint16_t>(k);
  };
  set(c.cta, plan.block_m, plan.block_n, plan.block_k);
  set(c.warp, plan.warp_m, plan.warp_n, plan.block_k / plan.warps_k);
  set(c.instruction, 16, 8, 16);  // what wmma's are made of, too
  c.split_k = static_cast<uint16_t>(plan.work.splits);
  c.stages = static_cast<uint8_t>(std::max(1, plan.stages()));
  c.swizzle = static_cast<uint8_t>(plan.work.raster.group);
  c.cluster[0] = c.cluster[1] = 1;
  return c;
}

/// A card and a backend that live as long as a question.
class Session {
 public:
  Session(const Functions& f, void* handle, const char* precision, int gpu,
          const heuristics::Problem& problem)
      : f_(f), handle_(handle), precision_(precision), problem_(problem) {
    const bool made = f_.card_create(&card_) == kSuccess && f_.card_set(card_, gpu) == kSuccess &&
                      f_.backend_create(&backend_, kTargetTriton) == kSuccess;
    if (!made) {
      release();
      fail(kFailed, "nvMatmulHeuristics does not start here; the rest works without it.");
    }
  }
  ~Session() { release(); }
  Session(const Session&) = delete;

  void set(Property property, int32_t value) const {
    if (f_.backend_set(backend_, property, &value, sizeof(value)) == kSuccess) return;
    fail(kFailed, fmt::format("nvMatmulHeuristics refuses property {} of a backend.",
                              static_cast<int>(property)));
  }
  /// Measurements of such kernels on this card that the library brings; false if it has none.
  bool load_profile() const {
    return f_.load_profile(handle_, precision_, kTargetTriton, problem_.layout, card_) == kSuccess;
  }
  std::vector<Configuration> best(int wanted) const {
    std::vector<Configuration> found(static_cast<size_t>(wanted));
    const unsigned count = f_.configurations(handle_, precision_, kRankByTime, backend_, &problem_,
                                             found.data(), static_cast<unsigned>(wanted), card_);
    found.resize(std::min<size_t>(count, found.size()));
    return found;
  }
  /// Nothing for what it does not believe in, of which it says 0.
  std::optional<OpinionTile> judge(const Configuration& c) const {
    const auto ask = [&](Metric metric) {
      return f_.estimate(handle_, precision_, backend_, &problem_, &c, metric, card_);
    };
    constexpr double kMicro = 1e6;
    OpinionTile t{.block_m = c.cta[0],
                  .block_n = c.cta[1],
                  .block_k = c.cta[2],
                  .warp_m = c.warp[0],
                  .warp_n = c.warp[1],
                  .warps_k = c.warp[2] > 0 ? std::max(1, c.cta[2] / c.warp[2]) : 1,
                  .stages = c.stages,
                  .splits = c.split_k,
                  .group = c.swizzle};
    t.us = ask(kRuntime) * kMicro;
    if (c.cta[0] == 0 || !(t.us > 0)) return std::nullopt;
    t.rank_us = ask(kRelativeRuntime) * kMicro;
    t.dram_read = ask(kDramLoadBytes), t.dram_write = ask(kDramStoreBytes);
    t.l2_read = ask(kL2LoadBytes), t.l2_hit_rate = ask(kL2HitRate);
    return t;
  }

 private:
  void release() {
    if (backend_) f_.backend_destroy(&backend_);
    if (card_) f_.card_destroy(&card_);
    backend_ = card_ = nullptr;
  }
  const Functions& f_;
  void* handle_;
  const char* precision_;
  heuristics::Problem problem_;
  void* card_ = nullptr;
  void* backend_ = nullptr;
};

/// What a kernel can do of that which the library might suggest.
void describe(const Session& session, const KernelEntry& kernel) {
  const auto more_than_one = [&](TileFieldId field) {
    const Slider* s = slider_of(kernel, field);
    return s && s->values[s->count - 1] > 1;
  };
  const auto least = [&](TileFieldId field) {
    const Slider* s = slider_of(kernel, field);
    return s ? s->values[0] : 1;
  };
  session.set(kColumnRaster, 0);
  session.set(kSliceK, more_than_one(TileFieldId::warps_k));
  session.set(kSplitK, more_than_one(TileFieldId::splits) ? kSplitOutOfPlace : kSplitNone);
  session.set(kTileMultipleM, least(TileFieldId::block_m));
  session.set(kTileMultipleN, least(TileFieldId::block_n));
}

}  // namespace

const MatmulHeuristics* MatmulHeuristics::open(std::string* why_not) {
  static std::map<std::string, std::unique_ptr<MatmulHeuristics>> opened;
  const std::string given = environment("TILESCOPE_MATMUL_HEURISTICS");
  if (const auto found = opened.find(given); found != opened.end()) return found->second.get();
  std::unique_ptr<MatmulHeuristics> mine(new MatmulHeuristics);
  mine->library_ = SharedLibrary::open(candidates(given));
  if (!mine->library_) {
    *why_not = (given.empty() ? std::string("nvMatmulHeuristics was not found")
                              : "TILESCOPE_MATMUL_HEURISTICS names no library: " + given) +
               "; " + kFix;
    return nullptr;
  }
  const SharedLibrary& from = *mine->library_;
  Functions& f = mine->f_;
  const bool versioned = from.load(f.version_major, "nvMatmulHeuristicsGetVersionMajor") &&
                         from.load(f.version_minor, "nvMatmulHeuristicsGetVersionMinor") &&
                         from.load(f.version_patch, "nvMatmulHeuristicsGetVersionPatch");
  if (!versioned) {
    *why_not = from.name() + " is no nvMatmulHeuristics; " + kFix;
    return nullptr;
  }
  // What its structs hold may change with any of the two.
  if (f.version_major() != kVersionMajor || f.version_minor() != kVersionMinor) {
    *why_not = fmt::format("{} is nvMatmulHeuristics {}, of which {}.{} is known here; {}",
                           from.name(), mine->version(), kVersionMajor, kVersionMinor, kFix);
    return nullptr;
  }
  const bool loaded =
      from.load(f.create, "nvMatmulHeuristicsCreate") &&
      from.load(f.card_create, "nvMatmulHeuristicsHardwareDescriptorCreate") &&
      from.load(f.card_destroy, "nvMatmulHeuristicsHardwareDescriptorDestroy") &&
      from.load(f.card_set, "nvMatmulHeuristicsHardwareDescriptorSetPredefinedGpu") &&
      from.load(f.backend_create, "nvMatmulHeuristicsBackendCreate") &&
      from.load(f.backend_destroy, "nvMatmulHeuristicsBackendDestroy") &&
      from.load(f.backend_set, "nvMatmulHeuristicsBackendSetValueProperty") &&
      from.load(f.load_profile, "nvMatmulHeuristicsLoadInternalDiscoverySet") &&
      from.load(f.configurations, "nvMatmulHeuristicsGetGemmConfigEx") &&
      from.load(f.estimate, "nvMatmulHeuristicsEstimateSiliconMetricEx");
  if (!loaded || f.create(&mine->handle_) != kSuccess) {
    *why_not = from.name() + " does not start here; " + kFix;
    return nullptr;
  }
  return (opened[given] = std::move(mine)).get();
}

std::string MatmulHeuristics::version() const {
  return fmt::format("{}.{}.{}", f_.version_major(), f_.version_minor(), f_.version_patch());
}

SecondOpinion MatmulHeuristics::ask(const KernelRequest& request, const std::string& device_name,
                                    int wanted) const {
  const KernelEntry* kernel = find_kernel(request.kernel.c_str());
  if (!kernel) fail(kUsage, "There is no kernel " + request.kernel + ".");
  const HeuristicCard* card = heuristic_card(device_name);
  if (!card) {
    fail(kMissing, fmt::format("nvMatmulHeuristics knows no {}; it knows {}.", device_name,
                               heuristic_card_names()));
  }
  const KernelPlan plan = kernel->plan(request.tile, request.problem, request.sms);
  const char* precision = precision_of(request.problem);
  if (plan.split.present()) {
    fail(kMissing,
         fmt::format("nvMatmulHeuristics knows no kernels that multiply parts of floats, as "
                     "{} does.",
                     request.kernel));
  }
  if (plan.math() != Math::mma || !precision) {
    fail(kMissing,
         fmt::format("nvMatmulHeuristics knows tensor-core kernels alone, and {} is none.",
                     request.kernel));
  }
  const Session session(f_, handle_, precision, card->gpu, problem_of(request.problem));
  describe(session, *kernel);
  SecondOpinion opinion;
  opinion.library = "nvMatmulHeuristics " + version();
  opinion.gpu = card->name;
  opinion.measured = session.load_profile();
  for (const Configuration& c : session.best(wanted)) {
    if (const auto tile = session.judge(c)) opinion.best.push_back(*tile);
  }
  if (cuts_slices(plan.work) && stream_tiles(plan.work) > 0) {
    opinion.why_not = "It does not predict Stream-K.";
    return opinion;
  }
  opinion.present = session.judge(configuration_of(plan));
  if (!opinion.present) opinion.why_not = "It gives no figures for this tile.";
  return opinion;
}

}  // namespace tilescope::worker
