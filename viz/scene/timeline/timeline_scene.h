// The Timeline panel: what each warp of one CTA does, in the order of the kernel's PTX. The x axis
// is an event's place in its barrier epoch; epochs are aligned over the warps.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viz/scene/answer_sign.h"

namespace tilescope::viz {

enum class EventKind : uint8_t { copy, wait, barrier, load, mma, fma, store };

struct TimelineEvent {
  int epoch = 0, index = 0;  // index: of the first of the fold in its epoch and warp
  int warp = 0;
  EventKind kind = EventKind::copy;
  int count = 1;     // like warp instructions in a row
  int k_slice = -1;  // whose data, −1: none
  int stage = -1;
  int line = 0;
  bool shared = false;  // a load from, a store to shared memory
};

/// Where everything is on the axis; made once for a trace.
class TimelineIndex {
 public:
  TimelineIndex() = default;
  /// Events by epoch, then warp, then index, as a trace holds them; must outlive the index.
  TimelineIndex(const std::vector<TimelineEvent>& events, int warps);

  struct Epoch {
    int id = 0;
    double start = 0, width = 0;
    bool after_gap = false;       // epochs before it were not recorded
    std::vector<uint32_t> first;  // of each warp, and the end: warps + 1 entries
  };
  struct Mark {  // a k slice's first multiplication
    double at = 0;
    int k_slice = 0;
  };

  const std::vector<TimelineEvent>& events() const { return *events_; }
  bool empty() const { return events_ == nullptr || events_->empty(); }
  int warps() const { return warps_; }
  double length() const { return length_; }
  const std::vector<Epoch>& epochs() const { return epochs_; }
  const std::vector<Mark>& marks() const { return marks_; }
  /// Start of an event on the axis.
  double position(size_t event) const;
  /// The last epoch that starts at or before a place.
  size_t epoch_at(double position) const;
  /// The event of a warp at a place, or the last one before it; −1 if there is none.
  int event_at(int warp, double position) const;
  /// The k slice at a place; −1 before the first.
  int k_slice_at(double position) const;

 private:
  const std::vector<TimelineEvent>* events_ = nullptr;
  int warps_ = 0;
  double length_ = 0;
  std::vector<Epoch> epochs_;
  std::vector<Mark> marks_;
};

/// A stretch of the axis, [from, to).
struct TimelineColumns {
  int from = 0, to = 0;
  bool empty() const { return from >= to; }
  bool operator==(const TimelineColumns&) const = default;
};

/// Another axis that this one is drawn beside, at the same width: [begin, end) stands here where
/// [of_begin, of_end) stands there, round its playhead.
struct TimelineBeside {
  double begin = 0, end = 0;
  double of_begin = 0, of_end = 0, of_playhead = 0, of_length = 0;
  bool operator==(const TimelineBeside&) const = default;
};

struct TimelineState {
  std::shared_ptr<const TimelineIndex> index;  // null or empty: nothing traced
  int event = 0;                               // at the playhead
  int within = 0;                              // of its fold
  std::string event_name;                      // empty: made from kind and fold
  int selected_warp = 0;
  std::optional<Pick> hover;
  std::vector<TimelineColumns> brushed;  // by warp; empty: nothing is brushed
  std::vector<int> lit;  // events that belong to what is hovered elsewhere, ascending
  double first = -1;     // left edge of the view; negative: round the playhead
  double visible = 0;    // units of the axis in view; 0: about two pixels each
  std::optional<TimelineBeside> beside;  // instead of first and visible
  int first_warp = -1;                   // top row; −1: the selected warp stays in view
  int k_slices = 0;                      // of the whole tile
  int k_begin = 0, k_end = 0;            // of the CTA's work item
  std::vector<int> recorded_k_slices;
  std::string slice_word = "k slice";  // "iteration" of a kernel that has no plan
  bool legend = false;                 // draw the key of the kinds (a file has no panel header)
  std::string empty_reason;            // one sentence in place of events
  std::string stale;  // which other edit the events are of; drawn dimmed; empty: of this one
  AnswerMarks marks;  // events of lines, for example; none are drawn of what is stale
  bool operator==(const TimelineState&) const = default;
};

/// Where the playhead stands on the axis.
double playhead_of(const TimelineState& state);

const char* event_kind_name(EventKind kind);  // "copy", "wait", …
/// The words of the legend: "copy global→shared", …
const char* event_kind_label(EventKind kind);
Color event_color(const Palette& palette, EventKind kind);

/// k slices between what is multiplied before a place and what is after it.
int slices_left_out(const TimelineIndex& index, double at);

/// How the axis lies in the panel: to scrub, and to follow the playhead.
struct TimelineView {
  Box plot;      // rows of the warps
  Box overview;  // the strip of all k slices
  double first = 0, visible = 1;
  int first_warp = 0, rows = 0;
  float row_height = 0;
  double at(float x) const { return first + static_cast<double>((x - plot.x) / plot.w) * visible; }
  float x(double position) const {
    return plot.x + static_cast<float>((position - first) / visible) * plot.w;
  }
};
TimelineView timeline_view(const TimelineState& state, Size size);

Scene build_timeline(const TimelineState& state, const Palette& palette, const TextMeasure& measure,
                     Size size);

}  // namespace tilescope::viz
