// export: a kernel as one .cu that nvcc builds.
#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "core/files/whole_file.h"

namespace tilescope::cli {
namespace {

struct ExportOptions {
  RequestOptions request;
  std::string out;
};

void write(const std::string& file, const std::string& text) {
  const std::string why_not = files::replace_file(file, text);
  if (!why_not.empty()) throw CliError(kFailed, "--out: " + clause(why_not));
}

int run_export(const ExportOptions& o, bool json) {
  if (!o.out.empty()) require_folder_of("--out", o.out);
  Request r = one_request(o.request);
  require_legal(r, device_row(o.request.device).limits);
  WorkerSession worker(o.request.kernel_dir);
  const std::string source = worker.call<worker::calls::Standalone>({{r.message()}}).source;
  if (!o.out.empty()) write(o.out, source);
  if (json) {
    Json result = {{"kernel", r.kernel->info.id},
                   {"tile", tile_json(r.tile, r.kernel->sliders)},
                   {"size", size_json(r.problem)}};
    if (o.out.empty()) {
      result["source"] = source;
    } else {
      result["out"] = o.out;
    }
    print_json(result);
  } else if (o.out.empty()) {
    print_text(source);
  } else {
    print(o.out);
  }
  return kOk;
}

}  // namespace

Run make_export(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<ExportOptions>();
  o->request.add_to(app);
  app.add_option("--out", o->out, "where to write (default: the standard output)")
      ->type_name("FILE.cu");
  return [o, &globals] { return run_export(*o, globals.json); };
}

}  // namespace tilescope::cli
