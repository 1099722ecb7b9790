// What the picture of Access is told, of the present state; and the words beside and in it.
#pragma once
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
  /// `data` is present_accesses(). The matrices from `view.first` on that have room.
  viz::AccessState make(const AppState& state, const std::shared_ptr<const AccessData>& data,
                        viz::Size size);

 private:
  struct Key {
    std::shared_ptr<const AccessData> data;
    size_t matrix = 0;
    AccessFilter filter;
    AccessLight light;
    AccessWindow window;
    bool dims = false;
    int mode = 0, rows = 0, cols = 0;
    bool operator==(const Key&) const = default;
  };
  struct Kept {
    Key key;
    viz::AccessMatrix matrix;  // without what the pointer is on
    double most = 0;           // touches of an element; of lanes
  };
  const Kept& kept(const Key& key, size_t place);
  std::vector<std::optional<Kept>> kept_;  // by place in the picture
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
