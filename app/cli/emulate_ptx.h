// emulate --ptx and --cu: any kernel on the CPU, arguments given by SPECs (docs/cli.md).
#pragma once
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/own_flags.h"
#include "worker/messages/messages_run.h"

namespace tilescope::cli {

struct PtxOptions : OwnFlags {
  std::string ctas, threads;
  std::vector<std::string> dumps;  // INDEX=FILE
  std::vector<std::string> asks;   // ask.h
  bool check = false, provenance = false;
};

int run_ptx(const PtxOptions& options, const RequestOptions& problem, int sums_of, bool json);

/// "right: 65,536 of 65,536 elements of C", or how C is wrong; `name` is the kernel's.
std::string verdict_text(const worker::GemmVerdict& verdict);
/// As bench has "verified", with "right" and, of a wrong C, "first" and "layout".
Json verdict_json(const worker::GemmVerdict& verdict);
/// "C (argument 2) is as naive has it: …", or where it is not.
std::string verdict_text(const worker::BufferVerdict& verdict);
Json expected_json(const std::vector<worker::BufferVerdict>& expected);
/// A line for each comparison that is right.
void print_right(const worker::RunAnswer& answer);

}  // namespace tilescope::cli
