// Calls about what is known without running anything, and about the worker itself.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "worker/messages/calls_run.h"
#include "worker/messages/messages_results.h"
#include "worker/messages/second_opinion.h"

namespace tilescope::worker::calls {

// ---- What is known without running anything ----

/// One result of a kernel at a tile on a problem.
struct Recorded {
  static constexpr const char* name = "recorded";
  static constexpr Roles roles = Role::store;
  struct Request {
    KernelRequest request;
    std::string name = {};    // part of a card's name, or
    bool whole_name = false;  // all of it
    std::string store = {};   // folder: of own results of that card alone
  };
  struct Answer {
    std::optional<MeasureResult> result = {};  // left out: there is none
    std::string arch = {}, revision = {};
    std::optional<CountersResult> counters = {};
    std::string remark = {};  // as of Results: which recorded lines were left out, say
  };
};

/// All results of a problem's size and factors on a card, of all kernels.
struct Results {
  static constexpr const char* name = "results";
  static constexpr Roles roles = Role::store;
  struct Request {
    Problem problem;
    std::string name;        // a card's whole name
    std::string store = {};  // folder of own results
    int sms = DeviceLimits().sm_count;
    bool recordings = true;
  };
  struct Answer {
    std::vector<KnownResult> results;
    std::string remark = {};  // of the store itself: that it was damaged, say
  };
};

/// The cards that results are known of.
struct Recordings {
  static constexpr const char* name = "recordings";
  static constexpr Roles roles = Role::store;
  struct Request {
    std::string store = {};  // folder of own results
  };
  struct Answer {
    std::vector<RecordedCard> recordings;
    std::string remark = {};  // as of Results
  };
};

struct KeepLayer {
  static constexpr const char* name = "keepLayer";
  static constexpr Roles roles = Role::store;
  struct Request {
    KeptLayer layer;
    std::string store;  // folder
  };
  struct Answer {
    std::string remark;  // why it was not kept; empty: it was
  };
};

struct KeptLayers {
  static constexpr const char* name = "keptLayers";
  static constexpr Roles roles = Role::store;
  struct Request {
    std::string store;  // folder
    std::string card;   // a card's whole name
  };
  struct Answer {
    std::vector<KeptLayer> layers;
  };
};

/// Whether the file of own results is whole: all of it is looked through. `repair`: a damaged one
/// is set aside, and what can be read of it goes into a new one.
struct CheckStore {
  static constexpr const char* name = "checkStore";
  static constexpr Roles roles = Role::store;
  struct Request {
    std::string store;  // folder
    bool repair = false;
  };
  struct Answer {
    std::string file = {};
    bool there = false;
    std::string damage = {};  // what it is; empty: whole
    std::string remark = {};  // a sentence: what was done, or why it cannot be looked at
  };
};

/// The best proof that is recorded of each instruction, by its name.
struct Proofs {
  static constexpr const char* name = "proofs";
  static constexpr Roles roles = Role::store;
  using Request = Nothing;
  struct Answer {
    std::map<std::string, Proof> proofs;
  };
};

// ---- nvMatmulHeuristics ----

struct SecondOpinion {
  static constexpr const char* name = "secondOpinion";
  static constexpr Roles roles = Role::heuristics;
  struct Request {
    KernelRequest request;
    std::string gpu;  // name of the card
    int count = 8;    // tiles
  };
  using Answer = worker::SecondOpinion;
};

/// What there is of it.
struct Library {
  static constexpr const char* name = "library";
  static constexpr Roles roles = Role::heuristics;
  using Request = Nothing;
  struct Answer {
    std::string file, version, why_not;
  };
};

// ---- The supervisor itself ----

/// The supervisor asks the emulator and a short-lived process that opens the driver.
struct Devices {
  static constexpr const char* name = "devices";
  static constexpr Roles roles = Role::supervisor | Role::emulator | Role::card;
  struct Request {
    std::string of = {};  // of a short-lived process: "cuda" or "emulator"
  };
  struct Answer {
    std::vector<DeviceInfo> devices;
  };
};

/// Starts children anew.
struct Restart {
  static constexpr const char* name = "restart";
  static constexpr Roles roles = Role::supervisor;
  struct Request {
    std::string kind = {};  // as devices are named; empty: all
  };
  struct Answer {
    std::vector<std::string> restarted;
  };
};

/// For tests and bug reports.
struct Status {
  static constexpr const char* name = "status";
  static constexpr Roles roles = Role::supervisor;
  using Request = Nothing;
  struct Answer {
    int pid = 0;
    uint64_t calls = 0;                           // under way
    std::shared_ptr<const nlohmann::json> pools;  // one for each kind of child
    int landlock = 0;  // version of the kernel's that fences the children's files; 0: none
  };
};

}  // namespace tilescope::worker::calls
