#include "worker/client/remote.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "worker/protocol/text.h"

namespace tilescope::worker {
namespace {

constexpr std::string_view kScheme = "ssh:";

std::string variable(const char* name, const char* otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? text : otherwise;
}

bool is_plain(char c, std::string_view more) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         more.find(c) != more.npos;
}

/// Why this can be no user or host; empty if it can. A colon is part of an IPv6 address.
std::string what_is_wrong(const std::string& name, std::string_view more) {
  if (name.empty()) return "is empty";
  if (name.front() == '-') return "begins with '-', which ssh takes for an option";
  for (const char c : name) {
    if (!is_plain(c, more)) return "has '" + safe_text({&c, 1}, 4) + "' in it";
  }
  return name.size() > 255 ? "is longer than 255 characters" : "";
}

/// For the shell over there. A home folder stays one.
std::string quoted(const std::string& word) {
  if (std::all_of(word.begin(), word.end(), [](char c) { return is_plain(c, "_.,/+=@%:~-"); })) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string remote_program() { return variable("TILESCOPE_REMOTE_CLI", "tilescope-cli"); }
std::string ssh() { return variable("TILESCOPE_SSH", "ssh"); }

std::string said(const std::string& words) {
  return words.empty() ? "" : ", saying \"" + words + "\"";
}

}  // namespace

std::optional<RemotePlace> read_remote(const std::string& text) {
  if (!text.starts_with(kScheme)) return std::nullopt;
  const std::string rest = text.substr(kScheme.size());
  const size_t slash = rest.find('/');
  RemotePlace place{rest.substr(0, slash), slash == rest.npos ? "" : rest.substr(slash + 1)};
  const auto refuse = [&](const std::string& what, const std::string& why) {
    throw std::invalid_argument("'" + safe_text(text, 300) + "': the " + what + " " + why +
                                "; write ssh:HOST/cuda:N or ssh:USER@HOST/cuda:N");
  };
  const size_t at = place.host.find('@');
  if (at != place.host.npos) {
    const std::string why = what_is_wrong(place.host.substr(0, at), "_.-");
    if (!why.empty()) refuse("user", why);
  }
  const std::string why =
      what_is_wrong(at == place.host.npos ? place.host : place.host.substr(at + 1), "_.:-");
  if (!why.empty()) refuse("host", why);
  if (place.device.starts_with(kScheme)) refuse("device", "is on yet another machine");
  return place;
}

std::vector<std::string> remote_command(const std::string& host) {
  std::vector<std::string> command;
  std::istringstream words(ssh());
  for (std::string word; words >> word;) command.push_back(word);
  // No question that nobody would see, no wait for a machine that is gone, and no forwarding: what
  // a user's configuration asks for would listen here or there.
  for (const char* option : {"-T",
                             "-o",
                             "BatchMode=yes",
                             "-o",
                             "ServerAliveInterval=5",
                             "-o",
                             "ServerAliveCountMax=3",
                             "-o",
                             "ConnectTimeout=15",
                             "-o",
                             "ClearAllForwardings=yes",
                             "-o",
                             "ForwardAgent=no",
                             "-o",
                             "ForwardX11=no",
                             "-o",
                             "ControlMaster=no",
                             "-o",
                             "RemoteCommand=none",
                             "--"}) {
    command.push_back(option);
  }
  command.push_back(host);
  command.push_back(quoted(remote_program()) + " worker");
  return command;
}

std::string not_reached(const std::string& host, const std::string& cause,
                        const std::string& words) {
  if (cause.starts_with("could not be started")) {
    return "ssh " + cause + "; install it (openssh-client), or name it in TILESCOPE_SSH.";
  }
  if (cause == describe_exit(255, 0)) {  // ssh's own
    return host + " cannot be reached: ssh " + cause + said(words) + "; see that \"" + ssh() + " " +
           host + " true\" works there without a question.";
  }
  const std::string program = remote_program();
  if (cause == describe_exit(127, 0)) {
    return "There is no " + program + " on " + host +
           (words.empty() ? "" : " (\"" + words + "\")") +
           ": install Tilescope there, or name the program's path there in TILESCOPE_REMOTE_CLI.";
  }
  if (cause == describe_exit(126, 0)) {
    return program + " cannot be run on " + host + (words.empty() ? "" : " (\"" + words + "\")") +
           ": name another in TILESCOPE_REMOTE_CLI.";
  }
  if (cause.find("did not announce itself") != cause.npos) {
    return "The worker on " + host + " " + cause +
           "; what a shell prints there at its start, as of .bashrc, belongs into interactive ones "
           "alone.";
  }
  return "The worker on " + host + " " + cause + said(words) + "; see \"" + ssh() + " " + host +
         " " + program + " doctor\".";
}

}  // namespace tilescope::worker
