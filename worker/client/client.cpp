#include "worker/client/client.h"

#include "worker/client/client_in_process.h"
#include "worker/client/client_process.h"

namespace tilescope::worker {

std::unique_ptr<Client> Client::start_process(const ClientOptions& options) {
  return std::make_unique<ProcessClient>(options);
}

std::unique_ptr<Client> Client::start_in_process(MethodTable methods) {
  return std::make_unique<InProcessClient>(std::move(methods));
}

}  // namespace tilescope::worker
