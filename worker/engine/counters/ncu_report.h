// What ncu has written: the values of its CSV, and what its messages mean to a person.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace tilescope::worker {

/// Values of the first kernel of a CSV report, in base units (byte, not Kbyte); what is "n/a" or no
/// number is not in it. Lines that are no CSV are passed over.
std::map<std::string, double> parse_ncu_csv(const std::string& text);

/// The metrics of `asked` that ncu says it does not have.
std::vector<std::string> unknown_metrics(const std::string& messages,
                                         const std::vector<std::string>& asked);

/// What stopped ncu, as one sentence with the fix; empty if its messages name no cause that is
/// known. `exit_code`: of the command line.
std::string ncu_failure(const std::string& messages, const std::string& ncu);

/// "2025.3.1" of `ncu --version`; empty if there is none.
std::string ncu_version(const std::string& text);
/// Older ones know no card of compute capability 9.0.
bool is_too_old(const std::string& version);
inline constexpr const char* kOldestNcu = "2022.3";

}  // namespace tilescope::worker
