// doctor: what is there, what is missing, and the fix.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <vector>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/help.h"
#include "app/cli/output.h"
#include "app/cli/programs.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "app/common/config_folder.h"
#include "app/common/kept_files.h"

namespace tilescope::cli {
namespace {

namespace calls = worker::calls;

constexpr const char* kMends = " tilescope-cli doctor --repair mends it.";

struct Finding {
  std::string what, state, version, fix;
};

/// It stays open: what libraries leave behind when they are closed nobody can be told of.
bool can_open(const char* library) { return dlopen(library, RTLD_LAZY | RTLD_LOCAL) != nullptr; }

/// The first that opens; empty if none does.
std::string first_library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (can_open(name)) return name;
  }
  return "";
}

/// `variable`, if set, says where the worker looks instead.
Finding library(const char* what, std::initializer_list<const char*> names, const char* fix,
                const char* variable = nullptr) {
  const char* given = variable ? std::getenv(variable) : nullptr;
  if (given && *given) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(given, ignored);
    for (const char* name : names) {
      const std::string file = folder ? fmt::format("{}/{}", given, name) : given;
      if (can_open(file.c_str())) return {what, "ok", file, ""};
    }
    return {what, "missing", "", fmt::format("{} names no such library: {}", variable, given)};
  }
  const std::string found = first_library(names);
  if (found.empty()) return {what, "missing", "", fix};
  return {what, "ok", found, ""};
}

/// Compiling and running a small kernel: the main job.
Finding main_job(WorkerSession& worker, std::string& compiler) {
  const KernelEntry& kernel = *find_kernel("naive");
  Problem p = default_problem(kernel.info);
  p.m = p.n = p.k = 32;
  const worker::KernelRequest request{kernel.info.id, kernel.sliders.defaults(), p};
  try {
    const auto compiled = worker.call<calls::Compile>({.of = {request}});
    compiler = compiled.compiler.empty() ? compiled.result.arch : compiled.compiler;
  } catch (const CliError& error) {
    return {"NVRTC", "missing", "", error.what()};
  }
  return {"NVRTC", "ok", compiler, ""};
}

Finding emulator_finding(WorkerSession& worker, bool compiles) {
  if (!compiles) return {"emulator", "degraded", "", "needs NVRTC to run the ladder's kernels"};
  const KernelEntry& kernel = *find_kernel("naive");
  Problem p = default_problem(kernel.info);
  p.m = p.n = p.k = 32;
  try {
    const worker::KernelRequest request{kernel.info.id, kernel.sliders.defaults(), p};
    const auto result = worker.call<calls::Emulate>({.of = {request}}).result;
    if (result.verified && !result.verified->ok) {
      return {"emulator", "degraded", "", "it computes wrongly here: please report this machine"};
    }
  } catch (const CliError& error) {
    return {"emulator", "missing", "", error.what()};
  }
  return {"emulator", "ok", "", ""};
}

/// The number behind `word` in "… CUDA 13.0 …" or "NVRTC 13.0"; 0 if it says none.
int major_after(const std::string& text, const std::string& word) {
  const size_t at = text.find(word);
  return at == text.npos ? 0 : std::atoi(text.c_str() + at + word.size());
}

/// `compiler`: "NVRTC 13.0", or empty.
Finding driver_finding(WorkerSession& worker, const std::string& compiler) {
  Finding missing{"driver", "missing", "",
                  "install NVIDIA's driver to measure on a GPU; without it everything but "
                  "measuring works"};
  try {
    for (const worker::DeviceInfo& device : worker.devices()) {
      if (!is_cuda(device.id)) continue;
      if (!device.available) {
        if (!device.why_not.empty()) missing.fix = device.why_not;
        continue;
      }
      const std::string version = device.driver + " (" + device.name + ")";
      if (major_after(device.driver, "CUDA ") >= major_after(compiler, "NVRTC ")) {
        return {"driver", "ok", version, ""};
      }
      return {"driver", "degraded", version,
              fmt::format("it is older than {}, whose code it may not load; update the driver, or "
                          "set TILESCOPE_NVRTC to an NVRTC of its version",
                          compiler)};
    }
  } catch (const CliError& error) {
    missing.fix = error.what();
  }
  return missing;
}

/// NVIDIA's programs, as the worker looks for them when it needs one.
std::vector<Finding> tool_findings(WorkerSession& worker) {
  std::vector<Finding> all;
  try {
    for (const calls::Tools::Tool& tool : worker.call<calls::Tools>({}).tools) {
      all.push_back(
          {tool.what,
           tool.file.empty()      ? "missing"
           : tool.why_not.empty() ? "ok"
                                  : "degraded",
           tool.version.empty() ? tool.file : fmt::format("{} ({})", tool.version, tool.file),
           tool.why_not});
    }
  } catch (const CliError& error) {
    all.push_back({"ncu, nvdisasm", "missing", "", error.what()});
  }
  return all;
}

/// As the worker opens it: a library that ends its process ends none of ours.
Finding heuristics_finding(WorkerSession& worker) {
  constexpr const char* kWhat = "nvMatmulHeuristics";
  try {
    const auto found = worker.call<calls::Library>({});
    if (found.version.empty()) return {kWhat, "missing", "", found.why_not};
    return {kWhat, "ok", fmt::format("{} ({})", found.version, found.file), ""};
  } catch (const CliError& error) {
    return {kWhat, "degraded", "", error.what()};
  }
}

/// What keeps the children's files apart, of the machine that they run on.
Finding landlock_finding(WorkerSession& worker) {
  constexpr const char* kWhat = "Landlock";
  try {
    const int version = worker.call<calls::Status>({}).landlock;
    if (version > 0) return {kWhat, "ok", fmt::format("version {}", version), ""};
  } catch (const CliError& error) {
    return {kWhat, "missing", "", error.what()};
  }
  return {
      kWhat, "missing", "",
      "this kernel has none, or it is switched off (Linux 5.13 and later have it): compilers and "
      "emulator, which read the files of others, may write where you may"};
}

Finding display_finding() {
  const char* display = std::getenv("DISPLAY");
  if (display && *display) return {"display", "ok", display, ""};
  if (std::getenv("WAYLAND_DISPLAY")) {
    return {"display", "ok", std::getenv("WAYLAND_DISPLAY"), ""};
  }
  return {"display", "degraded", "",
          "none here: render draws on a private Xvfb; set DISPLAY to open the window"};
}

/// Its worker answers, so both sides fit; then the cards there, each as --device names it.
std::vector<Finding> host_findings(WorkerSession& worker, const std::string& host) {
  std::vector<Finding> all;
  try {
    for (const worker::DeviceInfo& device : worker.devices()) {
      const std::string place = fmt::format("ssh:{}/{}", host, device.id);
      if (!device.available) {
        all.push_back({place, "missing", "", device.why_not});
      } else if (is_cuda(device.id)) {
        all.push_back({place, "ok", fmt::format("{} ({})", device.name, device.driver), ""});
      } else {
        all.push_back({place, "ok", device.name, ""});
      }
    }
    all.insert(all.begin(),
               {"ssh:" + host, "ok", std::string("Tilescope ") + TILESCOPE_VERSION, ""});
  } catch (const CliError& error) {
    all.push_back({"ssh:" + host, "missing", "", error.what()});
  }
  return all;
}

/// What is opened by the program that runs here: libraries and the display.
std::vector<Finding> local_findings() {
  std::vector<Finding> all;
  all.push_back(library("cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"},
                        "install cuBLAS (libcublasLt) to compare with the library",
                        "TILESCOPE_CUBLASLT"));
  all.push_back(library("cuBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
                        "install cuBLAS (libcublas) to compare with what it chooses itself, too",
                        "TILESCOPE_CUBLAS"));
  all.push_back(library("CUPTI", {"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
                        "it comes with the CUDA toolkit; counters are read through ncu so far"));
  all.push_back(library("NVML", {"libnvidia-ml.so.1"},
                        "it comes with NVIDIA's driver; without it clocks are not shown"));
  all.push_back(display_finding());
  all.push_back(library("GL", {"libGL.so.1", "libOpenGL.so.0"},
                        "install libgl1 and libgl1-mesa-dri to open the window"));
  return all;
}

/// A row for each kind that is whole, and one for each file that is not.
std::vector<Finding> kept_findings(bool mend) {
  std::vector<Finding> all;
  const std::string folder = config_folder();
  if (folder.empty()) {
    return {{"kept files", "missing", "",
             "neither HOME nor XDG_CONFIG_HOME names a folder: nothing is kept"}};
  }
  std::map<std::string, int> whole;
  for (const KeptFile& file : kept_files(folder)) {
    if (file.state == KeptFile::State::whole) {
      ++whole[file.what];
      continue;
    }
    const std::string done = mend ? repair(file) : "";
    const bool mends =
        file.state == KeptFile::State::damaged || file.state == KeptFile::State::unfinished;
    all.push_back({file.what, "degraded", file.file,
                   file.why + (!done.empty() ? " " + done
                               : mends       ? kMends
                                             : "")});
  }
  for (const auto& [what, count] : whole) {
    all.push_back(
        {what, "ok", fmt::format("{} file{} in {}", count, count == 1 ? "" : "s", folder), ""});
  }
  return all;
}

Finding results_finding(WorkerSession& worker, bool mend) {
  constexpr const char* kWhat = "own results";
  const std::string folder = config_folder();
  if (folder.empty()) return {kWhat, "missing", "", "there is no folder to keep them in"};
  try {
    const auto found =
        worker.call<calls::CheckStore>({.store = results_folder(folder), .repair = mend});
    if (found.damage.empty() && found.remark.empty()) {
      return {kWhat, "ok", found.there ? found.file : "none so far", ""};
    }
    const std::string damage =
        found.damage.empty() ? "" : fmt::format("The file is damaged ({}).", found.damage);
    return {kWhat, "degraded", found.file,
            damage + (found.remark.empty() ? kMends : (damage.empty() ? "" : " ") + found.remark)};
  } catch (const CliError& error) {
    return {kWhat, "degraded", "", error.what()};
  }
}

int run_doctor(const RequestOptions& o, bool mend, const Globals& globals) {
  if (mend && !o.host.empty()) {
    throw CliError(
        kBadUsage,
        fmt::format("--repair mends what is kept on this machine, and {} is another one: "
                    "leave --device out, or run it there",
                    o.host));
  }

  std::vector<Finding> all;
  WorkerSession worker(o);
  if (!o.host.empty()) all = host_findings(worker, o.host);
  if (!all.empty() && all[0].state != "ok") throw CliError(kMissing, all[0].fix);
  std::string compiler;
  const Finding nvrtc = main_job(worker, compiler);
  const bool compiles = nvrtc.state == "ok";
  const Finding emulator = emulator_finding(worker, compiles);
  for (const Finding& finding : {driver_finding(worker, compiler), nvrtc, emulator}) {
    all.push_back(finding);
  }
  for (Finding& tool : tool_findings(worker)) all.push_back(std::move(tool));
  all.push_back(heuristics_finding(worker));
  all.push_back(landlock_finding(worker));
  if (o.host.empty()) {
    for (Finding& finding : local_findings()) all.push_back(std::move(finding));
    for (Finding& finding : kept_findings(mend)) all.push_back(std::move(finding));
    all.push_back(results_finding(worker, mend));
  }
  const bool works = compiles && emulator.state == "ok";
  if (globals.json) {
    Json list = Json::array();
    for (const Finding& f : all) {
      list.push_back({{"what", f.what},
                      {"state", f.state},
                      {"version", f.version.empty() ? Json() : Json(f.version)},
                      {"fix", f.fix.empty() ? Json() : Json(f.fix)}});
    }
    print_json(list);
  } else {
    Table table({"what", "state", "version", "fix"});
    for (const Finding& f : all) table.add({f.what, f.state, f.version, f.fix});
    table.print();
    print(works ? "The main job can run: kernels are compiled, emulated and verified."
                : "The main job cannot run: see the fixes of NVRTC and the emulator.");
  }
  return works ? kOk : kMissing;
}

}  // namespace

Run make_doctor(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<RequestOptions>();
  app.add_option_function<std::string>(
         "--device", [o](const std::string& text) { read_device(text, o->device, o->host); },
         "ssh:HOST: what is there instead, on another machine")
      ->type_name("DEVICE")
      ->group(kPlaceGroup);
  const auto mend = std::make_shared<bool>(false);
  app.add_flag("--repair", *mend,
               "set aside what is damaged of the files that are kept (session, settings, cards, "
               "states, results), and keep on what can be read of results");
  add_kernel_dir(app, o->kernel_dir);
  return [o, mend, &globals] { return run_doctor(*o, *mend, globals); };
}

}  // namespace tilescope::cli
