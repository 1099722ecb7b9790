#include "app/cli/request_options.h"

#include <fmt/format.h>

#include <stdexcept>

#include "app/cli/cli_error.h"
#include "app/cli/help.h"
#include "app/cli/parse.h"
#include "core/model/names.h"
#include "core/model/nearest_legal.h"
#include "core/model/sentences.h"
#include "worker/client/remote.h"

namespace tilescope::cli {
namespace {

const KernelEntry& kernel_named(const std::string& id) {
  if (const KernelEntry* kernel = find_kernel(id.c_str())) return *kernel;
  std::string ids;
  for (const KernelEntry& kernel : kernel_table()) {
    ids += (ids.empty() ? "" : ", ") + std::string(kernel.info.id);
  }
  bad(fmt::format("--kernel: there is no '{}'; choose {}", id, ids));
}

void read_types(const std::string& text, Problem& p) {
  const std::vector<std::string> names = split(text, ',');
  ElementType types[3];
  bool good = names.size() == 3;
  for (size_t i = 0; good && i < 3; ++i) {
    const auto type = model::element_type_named(names[i]);
    good = type.has_value();
    if (type) types[i] = *type;
  }
  if (!good) {
    std::string all;
    for (const ElementType type : model::matrix_types()) {
      all += (all.empty() ? "" : ", ") + std::string(model::name_of(type));
    }
    bad(fmt::format("--types: '{}' is not three of {}, like f16,f16,f32", text, all));
  }
  p.type_a = types[0], p.type_b = types[1], p.type_c = types[2];
}

void read_layout(const std::string& text, Problem& p) {
  struct Row {
    const char* name;
    int bit;
  };
  for (const Row& row : {Row{"NN", kNN}, Row{"NT", kNT}, Row{"TN", kTN}, Row{"TT", kTT}}) {
    if (text == row.name) return set_layout(p, row.bit);
  }
  bad(
      fmt::format("--layout: '{}' is not NN, NT, TN or TT (A then B; N = column-major, "
                  "T = row-major)",
                  text));
}

Problem problem_of(const RequestOptions& o, const KernelEntry& kernel) {
  Problem p = default_problem(kernel.info);
  if (!o.layout.empty()) read_layout(o.layout, p);
  if (!o.types.empty()) read_types(o.types, p);
  if (o.c_order == "col") {
    p.order_c = Order::column_major;
  } else if (!o.c_order.empty() && o.c_order != "row") {
    bad(fmt::format("--c: '{}' is neither row nor col", o.c_order));
  }
  if (!o.alpha.empty()) p.alpha = static_cast<float>(parse_number("--alpha", o.alpha));
  const auto read = [](const char* name, const std::string& text, long long& to) {
    if (!text.empty()) to = parse_large(name, text, 1, kMaxLeadingDimension);
  };
  read("--lda", o.lda, p.lda), read("--ldb", o.ldb, p.ldb), read("--ldc", o.ldc, p.ldc);
  p.bias = o.bias;
  if (!o.beta.empty()) p.beta = static_cast<float>(parse_number("--beta", o.beta));
  return p;
}

}  // namespace

void RequestOptions::add_to(CLI::App& app) {
  const auto add = [&app](const char* name, auto& to, const char* value, const char* what) {
    return app.add_option(name, to, what)->type_name(value)->group(kProblemGroup);
  };
  // Which kernels there are, and which sliders, is not said here: docs/cli.md, which is made of
  // this, would be one more file to change for each of them.
  add("--kernel", kernel, "ID", "a rung of the ladder; the command kernels lists them")
      ->capture_default_str();
  add("--size", sizes, "MxNxK",
      "rows of C, columns of C and depth, or one number for all three (default 1024)");
  add("--layout", layout, "NN|NT|TN|TT",
      "how A, then B lies in memory, as cuBLAS counts: N = column-major, T = row-major");
  add("--c", c_order, "row|col", "how C lies in memory (default row)");
  add("--types", types, "A,B,C", "of the elements, like f16,f16,f32");
  add("--tile", tiles, "NAME=VALUE,…",
      "sliders of the kernel, as the command kernels lists them; the others keep its defaults");
  add("--alpha", alpha, "X", "C = alpha·A·B + beta·C (default 1)");
  add("--beta", beta, "X", "0, the default: C is not read");
  app.add_flag("--bias", bias, "adds a vector of n values to each row of C")->group(kProblemGroup);
  const char* leading =
      "leading dimension: elements from one line to the next (default: the least that a line "
      "needs)";
  add("--lda", lda, "N", leading);
  add("--ldb", ldb, "N", leading);
  add("--ldc", ldc, "N", leading);
  app.add_option_function<std::string>(
         "--device", [this](const std::string& text) { read_device(text, device, host); },
         "cuda (the first card), cuda:N, emulator, recorded or recorded:NAME; on another machine "
         "ssh:HOST/cuda:N")
      ->type_name("DEVICE")
      ->group(kPlaceGroup)
      ->default_str(device);
  add_kernel_dir(app, kernel_dir);
}

void read_device(const std::string& text, std::string& device, std::string& host) {
  try {
    const auto place = worker::read_remote(text);
    host = place ? place->host : "";
    device = !place ? text : place->device.empty() ? "cuda" : place->device;
  } catch (const std::invalid_argument& error) {
    bad(std::string("--device: ") + error.what());
  }
}

void add_kernel_dir(CLI::App& app, std::string& folder) {
  app.add_option("--kernel-dir", folder, "read kernel sources from here, not from this program")
      ->type_name("FOLDER")
      ->group(kPlaceGroup);
}

void add_time_limit(CLI::App& app, double& seconds) {
  app.add_option("--time-limit", seconds,
                 "that one launch on a card may take; then its process is ended")
      ->type_name("SECONDS")
      ->group(kMeasureGroup)
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
}

void MeasureFlags::add_to(CLI::App& app) {
  add_time_limit(app, time_limit);
  app.add_option("--seconds", seconds, "of samples on a card; fewer where they agree sooner")
      ->type_name("SECONDS")
      ->group(kMeasureGroup)
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  app.add_option("--rest", rest,
                 "idle time between samples on a card, as a multiple of theirs: without it a large "
                 "problem is measured at the card's power limit")
      ->type_name("TIMES")
      ->group(kMeasureGroup)
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_flag("--no-counts", no_counts,
               "on a card: leave out what the emulator counts and checks of the same kernel")
      ->group(kMeasureGroup);
  app.add_flag("--whole", whole, kWholeHelp)->group(kMeasureGroup);
}

std::vector<Request> all_requests(const RequestOptions& o) {
  const KernelEntry& kernel = kernel_named(o.kernel);
  const Problem base = problem_of(o, kernel);
  std::vector<Problem> problems;
  for (const std::string& text : o.sizes) {
    for (const std::string& part : split(text, ',')) {
      const Size size = parse_size(part);
      Problem p = base;
      p.m = size.m, p.n = size.n, p.k = size.k;
      problems.push_back(p);
    }
  }
  if (problems.empty()) problems.push_back(base);
  // The least said aloud is the same problem as the least.
  for (Problem& p : problems) {
    long long Problem::*const leading[] = {&Problem::lda, &Problem::ldb, &Problem::ldc};
    for (int i = 0; i < 3; ++i) {
      if (p.*leading[i] == least_leading_dimension(p, static_cast<Operand>(i))) p.*leading[i] = 0;
    }
  }
  std::vector<TileConfig> tiles;
  for (const std::string& text : o.tiles) {
    TileConfig tile = kernel.sliders.defaults();
    parse_tile(text, kernel.sliders, kernel.info.id, tile);
    tiles.push_back(tile);
  }
  if (tiles.empty()) tiles.push_back(kernel.sliders.defaults());
  std::vector<Request> requests;
  for (const Problem& p : problems) {
    for (const TileConfig& tile : tiles) requests.push_back({&kernel, tile, p});
  }
  return requests;
}

Request one_request(const RequestOptions& o) {
  const std::vector<Request> all = all_requests(o);
  if (all.size() != 1) bad("several sizes or tiles: give one --size and one --tile here");
  return all[0];
}

void require_legal(Request& r, const DeviceLimits& limits) {
  r.sms = limits.sm_count;
  const Violation v = r.kernel->validate(r.tile, r.problem, limits);
  if (v.legal()) return;
  // The rules before this one make sure that a plan can be made of the tile.
  const bool plan_of_tile = v.rule == Rule::shared_too_large || v.rule == Rule::ctas_by_shared ||
                            v.rule == Rule::ctas_by_threads;
  const TileConfig plan_tile = plan_of_tile ? r.tile : r.kernel->sliders.defaults();
  const KernelPlan plan =
      r.kernel->plan(plan_tile, plan_of_tile ? r.problem : default_problem(r.kernel->info));
  std::string text = model::sentence(v, r.tile, r.problem, plan, limits);
  const auto nearest = model::nearest_legal(r.kernel->validator(), r.kernel->sliders, r.tile,
                                            r.problem, limits, v.field);
  if (nearest) text += "; nearest legal: " + nearest->label;
  bad(text);
}

bool is_cuda(const std::string& device) {
  return device == "cuda" || device.rfind("cuda:", 0) == 0;
}

const model::DeviceRow& device_row(const std::string& device) {
  if (device == "emulator" || device == "recorded") return model::device_table()[0];
  const std::string name = device.rfind("recorded:", 0) == 0 ? device.substr(9) : device;
  if (const model::DeviceRow* row = model::find_device(name)) return *row;
  throw CliError(kMissing, fmt::format("--device: nothing is known of '{}'; choose emulator, "
                                       "cuda:0, recorded, or one of {}",
                                       device, model::device_names()));
}

}  // namespace tilescope::cli
