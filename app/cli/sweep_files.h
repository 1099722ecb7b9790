// The files of a sweep: one line of JSON a result, in --out; while several ranks measure, one file
// a rank beside it.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "core/files/locked_file.h"

namespace tilescope::cli {

using files::LockedFile;

std::string one_line(const Json& result);
/// Discarded where it is no JSON, or is nested deeper than files::kMostDepth.
Json parsed_line(const std::string& line);

/// Results that are there by their key. `card`: its name, for results of that card alone, with a
/// `sweep_key` or as recordings are; empty: those with a key. A line cut short is passed over.
std::map<std::string, Json> read_results(const std::string& file, const std::string& card);

/// "sweep.jsonl.rank1of3".
std::string rank_file(const std::string& out, int rank, int size);
/// What the ranks tell each other: "sweep.jsonl.ranks".
std::string ranks_file(const std::string& out);
/// Files of ranks, of this start or of one that was killed, by name.
std::vector<std::string> rank_files(const std::string& out);

/// Where a result stands in a sweep run alone; nothing: not of this sweep.
using Place = std::function<std::optional<size_t>(const Json& result)>;

/// Puts the results of `parts` into `out` and removes them, `out` first, so that a kill in between
/// loses none. Results with a place are put in its order, on the lines that such have; all others
/// stay where they are, the new ones behind. A line that is there is not put in again. The caller
/// holds the lock of ranks_file().
void merge_results(const std::string& out, const std::vector<std::string>& parts,
                   const Place& place);

/// As LockedFile::open(). Throws CliError (exit code 2): it cannot be written, or its folder knows
/// no locks.
std::optional<LockedFile> open_out(const std::string& path, LockedFile::Lock lock);
/// Throws CliError (exit code 4) if the disk does not take it.
void append_result(LockedFile& file, const Json& line);

/// `out` for a sweep alone, kept open by it: what ranks left behind is put in before. Throws
/// CliError (exit code 2) if ranks are at it.
LockedFile open_alone(const std::string& out);

}  // namespace tilescope::cli
