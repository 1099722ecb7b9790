// A rung with a mistake in its own file.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine_support.h"

namespace tilescope::worker {

/// A folder for --kernel-dir with one file of the ladder, changed.
class Changed {
 public:
  /// The last place that has `right`, or the one that begins at `at`, becomes `wrong`.
  Changed(const std::string& file, const std::string& right, const std::string& wrong,
          size_t at = std::string::npos) {
    std::string text = file_text(TILESCOPE_SOURCE_DIR "/kernels/" + file);
    // Its planted mistakes hold such lines, too.
    at = text.rfind(right, std::min(at, text.find("\n/* Mistakes that tests plant")));
    EXPECT_NE(at, text.npos) << right;
    if (at == text.npos) return;
    text.replace(at, right.size(), wrong);
    line_ = static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
    write_text(folder_.path() + "/" + file, text);
  }
  std::string ptx(const KernelRequest& request) const {
    return test_compiler().compile(request, "sm_90", folder_.path())->result.ptx;
  }
  int line() const { return line_ + 1; }

 private:
  TemporaryFolder folder_;
  int line_ = 0;
};

}  // namespace tilescope::worker
