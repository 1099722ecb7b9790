// request: what the options of a kernel, its tile and its problem come to, for programs that speak
// to the worker themselves: its calls take this document, with more beside it.
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "app/common/device_row.h"
#include "worker/messages/messages_json.h"

namespace tilescope::cli {
namespace {

int run_request(const RequestOptions& o) {
  Request r = one_request(o);
  require_legal(r, is_cuda(o.device) ? model_row(WorkerSession(o).card(o.device)).limits
                                     : device_row(o.device).limits);
  print_json(Json(nlohmann::json(r.message())));
  return kOk;
}

}  // namespace

Run make_request(CLI::App& app, const Globals&) {
  auto o = std::make_shared<RequestOptions>();
  o->add_to(app);
  return [o] { return run_request(*o); };
}

}  // namespace tilescope::cli
