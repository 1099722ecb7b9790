#include "app/cli/prove_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/output.h"
#include "app/cli/worker_session.h"
#include "core/files/locked_file.h"
#include "worker/messages/messages_proof.h"

namespace tilescope::cli {
namespace {

using worker::Proof;

// Enough to keep a machine's cores busy, few enough that a fault costs little to repeat.
constexpr size_t kBatch = 96;

/// Asks the worker. A probe that faults on a GPU takes its process along: the rest goes on in
/// another.
class Prover {
 public:
  explicit Prover(const ProveRequest& request) {
    place_.device = request.device, place_.host = request.host;
    if (request.device == "cuda") place_.device = session().card("cuda").id;
  }

  std::vector<Proof> prove(const std::vector<std::string>& names) {
    std::vector<Proof> proofs;
    for (size_t first = 0; first < names.size(); first += kBatch) {
      const std::vector<std::string> batch(
          names.begin() + static_cast<std::ptrdiff_t>(first),
          names.begin() + static_cast<std::ptrdiff_t>(std::min(first + kBatch, names.size())));
      add(proofs, batch);
    }
    return proofs;
  }

 private:
  void add(std::vector<Proof>& proofs, const std::vector<std::string>& names) {
    try {
      const auto answer =
          session().call<worker::calls::ProbeFragment>(place_.device, {.atoms = names});
      proofs.insert(proofs.end(), answer.proofs.begin(), answer.proofs.end());
      return;
    } catch (const CliError& error) {
      // With the card gone no other instruction fares better.
      if (error.exit_code() != kFailed || error.details().contains("needs_reset")) throw;
      session_.reset();
      if (names.size() == 1) {
        Proof failed;
        failed.atom = names.front();
        failed.device = place_.device;
        failed.failed = error.what();
        proofs.push_back(failed);
        return;
      }
    }
    // One of them: halve until it stands alone.
    const auto middle = names.begin() + static_cast<std::ptrdiff_t>(names.size() / 2);
    add(proofs, {names.begin(), middle});
    add(proofs, {middle, names.end()});
  }
  WorkerSession& session() {
    if (!session_) session_ = std::make_unique<WorkerSession>(place_);
    return *session_;
  }

  RequestOptions place_;  // of which the device alone is meant
  std::unique_ptr<WorkerSession> session_;
};

std::string text_of(const Proof& p) {
  if (!p.unsupported.empty()) return fmt::format("-      {}  {}", p.atom, p.unsupported);
  if (!p.failed.empty()) return fmt::format("failed {}  {}", p.atom, p.failed);
  if (p.ok)
    return fmt::format("proven {}  {} facts, {:.1f} ms", p.atom, p.compared, p.milliseconds);
  return fmt::format("WRONG  {}  {} of {} facts. {}", p.atom, p.wrong, p.compared, p.first_wrong);
}

void append(const std::string& file, const std::vector<Proof>& proofs) {
  std::string why_not;
  const auto out = files::LockedFile::open(file, files::LockedFile::Lock::shared, &why_not);
  if (!out) {
    throw CliError(kBadUsage, "--record: " + (why_not.empty() ? file + " is being written by "
                                                                       "another process"
                                                              : clause(why_not)));
  }
  for (const Proof& p : proofs) {
    if (p.compared > 0 && why_not.empty()) why_not = out->append_line(nlohmann::json(p).dump());
  }
  if (!why_not.empty()) {
    throw CliError(kBadUsage, fmt::format("--record: {} cannot be written ({})", file, why_not));
  }
}

}  // namespace

int prove(const ProveRequest& request, const Globals& globals) {
  if (!request.record.empty()) require_folder_of("--record", request.record);
  const std::vector<Proof> proofs = Prover(request).prove(request.atoms);
  size_t right = 0, wrong = 0, failed = 0, unsupported = 0;
  uint64_t facts = 0;
  for (const Proof& p : proofs) {
    right += p.ok;
    wrong += p.wrong > 0;
    failed += !p.failed.empty();
    unsupported += !p.unsupported.empty();
    facts += p.compared;
    if (!globals.json) print(text_of(p));
    if (p.wrong > 0 || !p.failed.empty()) message("tilescope-cli: " + text_of(p));
  }
  const std::string summary = fmt::format(
      "{} of {} instructions proven on {}, {} facts; {} wrong, {} failed, {} that it "
      "does not have",
      right, proofs.size(), proofs.front().device, facts, wrong, failed, unsupported);
  if (globals.json) {
    print_json(Json(nlohmann::json(proofs)));
    message(summary);
  } else {
    print(summary);
  }
  if (!request.record.empty()) append(request.record, proofs);
  if (wrong > 0) return kCheckFailed;
  if (failed > 0) return kFailed;
  return !request.all && unsupported == proofs.size() ? kMissing : kOk;
}

}  // namespace tilescope::cli
