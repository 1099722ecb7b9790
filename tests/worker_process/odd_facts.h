// What a process of the odd worker tells of itself: what it may do, and what it has open.
#pragma once
#include <nlohmann/json.hpp>

namespace tilescope::worker {

/// {"limits": {"core": [soft, hard], …}, "no_new_privs", "filtered", "blocked": signals}.
nlohmann::json own_facts();
/// errno of each call that a fence may deny, asked so that it fails or changes nothing where it is
/// allowed; 0: it went well.
nlohmann::json tried_calls();
/// errno of writing into a file that is there ("there") and making one ("new"), of each folder.
nlohmann::json tried_writes(const nlohmann::json& folders);

}  // namespace tilescope::worker
