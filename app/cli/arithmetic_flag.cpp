#include "app/cli/arithmetic_flag.h"

#include <fmt/format.h>

#include "app/cli/cli_error.h"
#include "app/cli/parse.h"
#include "app/cli/request_options.h"
#include "emulator/arithmetic.h"

namespace tilescope::cli {

void ArithmeticFlag::add_to(CLI::App& app) {
  app.add_option("--arithmetic", text,
                 "in which products of tensor cores are summed: card (as the architecture that the "
                 "PTX is for, bit for bit), sm_NN (as that one), or ieee (f32, in the order of k); "
                 "default: card where the rule was proven on a card, else ieee")
      ->type_name("card|ieee|sm_NN");
}

int ArithmeticFlag::sums_of(const std::string& device) const {
  if (text == "ieee") return emulator::kSumsIeee;
  const bool named = !is_cuda(device) && device != "emulator";
  if (text == "card") return named ? device_row(device).limits.sm : emulator::kSumsOfTarget;
  if (text.empty()) return emulator::kSumsWhereProven;
  constexpr int kFirst = 70, kLast = 999;
  if (text.starts_with("sm_")) {
    return parse_integer("--arithmetic", text.substr(3), kFirst, kLast);
  }
  throw CliError(kBadUsage,
                 fmt::format("--arithmetic {} is none of card, ieee and sm_NN, like sm_90", text));
}

}  // namespace tilescope::cli
