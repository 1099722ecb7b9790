// What the picture of Access is told, of the present state; and the words beside and in it.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/access/access_view.h"
#include "viz/scene/access_scene.h"

namespace tilescope {

/// Makes the picture's state, and keeps of each matrix what takes long.
class AccessPicture {
 public:
  using Until = std::chrono::steady_clock::time_point;
  /// `data` is present_accesses(). The matrices from `view.first` on that have room. What is not
  /// done by `until` is shown as far as it is; the next call goes on.
  viz::AccessState make(const AppState& state, const std::shared_ptr<const AccessData>& data,
                        viz::Size size, Until until = Until::max());
  /// All of the last picture was done.
  bool is_done() const { return done_ >= 1 && pointed_done_ >= 1; }

 private:
  /// A matrix's window, or all of it.
  struct Part {
    std::optional<AccessWalk> walk;
    // Drawn of it:
    int mode = -1;
    bool dims = false;
    double done = -1;
    viz::CellsPointer cells;
    double most = 0;  // touches of an element, by lanes
  };
  Part& walked(size_t place, const AccessWalkKey& key, Until until, double& done);
  Part& part(size_t place, const AccessWalkKey& key, Until until, int mode, bool dims);
  void point(size_t place, AccessWalkKey key, const AccessLight& light, Until until,
             viz::AccessMatrix& m);
  std::vector<Part> parts_;  // of each place three: its window, the whole, what is pointed at
  double done_ = 1;          // share of the part that is least done
  double pointed_done_ = 1;  // of what is pointed at
};

/// Of how many matrices from which one on the picture has room.
std::vector<size_t> shown_matrices(const AccessView& view, const AccessData& data, viz::Size size);

/// "CTA 2,1 of a grid of 4 × 4, 8 warps: 1,024 accesses of warps, 412 moments"
std::string access_words(const AccessData& data);
/// "moments 106–142 of 3,235, 36 accesses": what the brush has.
std::string brush_words(const AccessData& data, const AccessFilter& filter);
/// All that is known of an element, for a tooltip.
std::string element_words(const AccessData& data, const AccessElement& element,
                          const AccessFilter& filter);
/// "f16[4096,4096]", "bytes as 128 rows of 1024 words".
std::string matrix_type(const AccessData& data, size_t matrix);

}  // namespace tilescope
