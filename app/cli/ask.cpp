#include "app/cli/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/cli/cli_error.h"

namespace tilescope::cli {

namespace {

/// Reads a SPEC from the left. What does not fit leaves the place and says no.
class SpecReader {
 public:
  explicit SpecReader(std::string_view rest) : rest_(rest) {}
  bool text(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  /// Of 1 to `digits` decimal digits.
  template <class T>
  bool number(size_t digits, T* value) {
    const std::string_view found = leading("0123456789");
    if (found.empty() || found.size() > digits) return false;
    std::from_chars(found.data(), found.data() + found.size(), *value);
    rest_.remove_prefix(found.size());
    return true;
  }
  /// A register as PTX names it, with its '%'.
  bool name(std::string* value) {
    if (!rest_.starts_with('%')) return false;
    const std::string_view found =
        leading("%$_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    if (found.size() < 2 || found.rfind('%') != 0) return false;
    *value = found;
    rest_.remove_prefix(found.size());
    return true;
  }
  void spaces() { rest_.remove_prefix(leading(" \t").size()); }
  bool ended() const { return rest_.empty(); }

 private:
  std::string_view leading(std::string_view of) const {
    return rest_.substr(0, std::min(rest_.find_first_not_of(of), rest_.size()));
  }
  std::string_view rest_;
};

constexpr size_t kPlaceDigits = 7, kTimesDigits = 9;

/// "400#2": a PTX line, and which time that it runs.
bool read_moment(SpecReader& r, Ask* ask) {
  return r.number(kPlaceDigits, &ask->ptx_line) &&
         (!r.text("#") || r.number(kTimesDigits, &ask->times));
}

bool read_element(SpecReader r, Ask* ask) {
  if (!r.text("C[") || !r.number(kPlaceDigits, &ask->row) || !r.text(",")) return false;
  r.spaces();
  return r.number(kPlaceDigits, &ask->col) && r.text("]") && r.ended();
}

bool read_register(SpecReader r, Ask* ask) {
  ask->of = Ask::Of::register_;
  if (!r.text("w") || !r.number(3, &ask->warp) || !r.text(".l") || !r.number(2, &ask->lane) ||
      !r.text(".") || !r.name(&ask->name)) {
    return false;
  }
  if (r.text(".hi")) {
    ask->half = 1;
  } else if (r.text(".lo")) {
    ask->half = 0;
  }
  return (!r.text("@") || read_moment(r, ask)) && r.ended();
}

bool read_shared(SpecReader r, Ask* ask) {
  ask->of = Ask::Of::shared;
  if (!r.text("s+") || !r.number(kPlaceDigits, &ask->offset)) return false;
  if (r.text(":")) {
    if (!r.number(1, &ask->bytes)) return false;
    if (ask->bytes != 2 && ask->bytes != 4 && ask->bytes != 8) return false;
  }
  if (r.text("@") &&
      !(r.text("w") && r.number(3, &ask->warp) && r.text(".") && read_moment(r, ask)))
    return false;
  return r.ended();
}

}  // namespace

Ask parse_ask(const std::string& spec) {
  for (const auto read : {read_element, read_register, read_shared}) {
    Ask ask;
    if (!read(SpecReader(spec), &ask)) continue;
    if (ask.lane > 31) {
      throw CliError(kBadUsage, fmt::format("--ask: lane {}; a warp has lanes 0 to 31", ask.lane));
    }
    return ask;
  }
  throw CliError(kBadUsage,
                 fmt::format("--ask: '{}' is none of C[ROW,COL], wWARP.lLANE.%REGISTER[.lo|.hi]"
                             "[@PTX_LINE[#TIMES]], s+BYTE[:2|4|8][@wWARP.PTX_LINE[#TIMES]]",
                             spec));
}

worker::OriginQuestion question_of(const Ask& ask) {
  worker::OriginQuestion q;
  switch (ask.of) {
    case Ask::Of::element:
      q.what = "element";
      q.element = {ask.row, ask.col};
      break;
    case Ask::Of::register_:
      q.what = "register";
      q.name = ask.name;
      q.half = ask.half;
      break;
    case Ask::Of::shared:
      q.what = "shared";
      q.offset = ask.offset;
      q.bytes = ask.bytes;
      break;
  }
  q.warp = ask.warp, q.lane = ask.lane;
  q.ptx_line = ask.ptx_line;
  q.times = ask.ptx_line > 0 ? ask.times : 0;
  return q;
}

}  // namespace tilescope::cli
