#include "app/cli/ask.h"

#include <fmt/format.h>

#include <regex>

#include "app/cli/error.h"

namespace tilescope::cli {

Ask parse_ask(const std::string& spec) {
  static const std::regex element(R"(C\[(\d{1,7}),\s*(\d{1,7})\])");
  static const std::regex reg(
      R"(w(\d{1,3})\.l(\d{1,2})\.(%[\w$]+?)(\.lo|\.hi)?(@(\d{1,7})(#(\d{1,9}))?)?)");
  static const std::regex shared(
      R"(s\+(\d{1,7})(:(2|4|8))?(@w(\d{1,3})\.(\d{1,7})(#(\d{1,9}))?)?)");
  Ask ask;
  std::smatch m;
  const auto moment = [&](size_t line, size_t times) {
    if (!m[line].matched) return;
    ask.ptx_line = std::stoi(m[line]);
    if (m[times].matched) ask.times = std::stoull(m[times]);
  };
  if (std::regex_match(spec, m, element)) {
    ask.row = std::stoi(m[1]), ask.col = std::stoi(m[2]);
  } else if (std::regex_match(spec, m, reg)) {
    ask.of = Ask::Of::register_;
    ask.warp = std::stoi(m[1]), ask.lane = std::stoi(m[2]);
    ask.name = m[3];
    if (m[4].matched) ask.half = m[4] == ".hi" ? 1 : 0;
    moment(6, 8);
  } else if (std::regex_match(spec, m, shared)) {
    ask.of = Ask::Of::shared;
    ask.offset = std::stoull(m[1]);
    if (m[3].matched) ask.bytes = std::stoi(m[3]);
    if (m[5].matched) ask.warp = std::stoi(m[5]);
    moment(6, 8);
  } else {
    throw CliError(kBadUsage,
                   fmt::format("--ask: '{}' is none of C[ROW,COL], wWARP.lLANE.%REGISTER[.lo|.hi]"
                               "[@PTX_LINE[#TIMES]], s+BYTE[:2|4|8][@wWARP.PTX_LINE[#TIMES]]",
                               spec));
  }
  if (ask.lane > 31) {
    throw CliError(kBadUsage, fmt::format("--ask: lane {}; a warp has lanes 0 to 31", ask.lane));
  }
  return ask;
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
