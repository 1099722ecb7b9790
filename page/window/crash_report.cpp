// A browser tells of a page's faults itself.
#include "app/shell/crash_report.h"

namespace tilescope {

void report_crashes(const std::string&) {}
void keep_for_report(const std::string&) {}
void log_for_report(const std::string&) {}
std::string new_report(const std::string&) { return {}; }

}  // namespace tilescope
