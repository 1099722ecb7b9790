// The worker on another machine: the same program, started there by ssh, spoken to over its
// standard input and output. Nothing listens anywhere.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace tilescope::worker {

/// "ssh:me@gpu1/cuda:0"
struct RemotePlace {
  std::string host;    // "me@gpu1", as ssh takes it
  std::string device;  // "cuda:0" there; empty if none was named
};

/// Nothing if the text does not begin with "ssh:". Throws std::invalid_argument with a sentence if
/// no host follows that may safely be passed to ssh: none that begins with '-', none with
/// characters that a shell would interpret.
std::optional<RemotePlace> read_remote(const std::string& text);

/// The command that starts the worker on a host: $TILESCOPE_SSH (words parted by blanks; "ssh"),
/// our options, and $TILESCOPE_REMOTE_CLI ("tilescope-cli") there. Those of ours that it names
/// itself, it overrides.
std::vector<std::string> remote_command(const std::string& host);

/// Why there is no worker on a host, in one sentence with the way out. `cause` as of Child,
/// "ended with code 255"; `words`: the last that was said.
std::string not_reached(const std::string& host, const std::string& cause,
                        const std::string& words);

}  // namespace tilescope::worker
