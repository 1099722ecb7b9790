// Everything that the window shows, as a value. Panels read it and change it only through the
// functions of edit.h and playback.h; nothing in here knows of ImGui, GL or processes.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/state/known.h"
#include "app/state/model_memo.h"
#include "app/state/slices.h"
#include "app/state/subject.h"
#include "app/state/timeline.h"
#include "core/layout/kernel_plan.h"
#include "core/model/l2_simulation.h"
#include "core/model/prediction.h"
#include "core/model/verification_order.h"
#include "kernels/registry.h"
#include "viz/scene/selection.h"
#include "worker/messages/counters.h"
#include "worker/messages/messages.h"
#include "worker/messages/messages_results.h"
#include "worker/messages/sass.h"

namespace tilescope::worker {
struct LaunchRequest;
}

namespace tilescope {

/// What undo goes back over: the problem, the kernel, its tile, and what features choose beside
/// them (the layer, for example).
struct Edit {
  Subject subject;
  Problem problem;
  std::string last_rung;  // that a kernel of one's own was opened from: the way back
  /// The tile each kernel was left with, so that going back to a rung finds it as it was.
  std::map<std::string, TileConfig> tiles;
  std::map<std::string, int> layouts;  // LayoutBits, in the same way
  Slices beside;                       // of features; nothing of it is compiled or run

  /// One without a name where the subject is a kernel of one's own.
  const Rung& rung() const;
  /// The subject as a rung; it becomes one if it is none.
  Rung& change_rung();
  const OwnKernel* own() const { return std::get_if<OwnKernel>(&subject); }
};
/// A subject and a problem: what is compiled and run.
bool same_request(const Edit& a, const Edit& b);

/// grid → CTA → warp → mma → lane → register. Not undone.
struct Selection {
  Coord cta;      // block tile: row, column of tiles; of a kernel without a plan y, x of blockIdx
  int cta_z = 0;  // of a kernel without a plan alone
  int warp = 0;
  int mma_m = 0, mma_n = 0;
  int lane = 0;
  int value = 0;                 // of the accumulator fragment
  int level = 4;                 // how deep the breadcrumb goes: 0 grid … 4 lane
  Operand operand = Operand::c;  // that `value` belongs to
};

/// A place in a kernel's texts: a line of its file, and of the PTX where that is known exactly;
/// 0 = none.
struct CodeLink {
  int line = 0, ptx_line = 0;
  bool any() const { return line > 0 || ptx_line > 0; }
  bool operator==(const CodeLink&) const = default;
};

/// Who touches an element of a buffer: the instructions, and the steps of warps of the CTA that
/// Timeline shows.
struct Touchers {
  std::vector<CodeLink> places;
  std::vector<std::pair<uint16_t, uint64_t>> steps;  // (warp, step), ascending
};

/// What the pointer is over, shared by all panels: collected in one frame, drawn in the next.
/// app/state/hovered.h says what that is in other panels.
struct Hover {
  std::optional<viz::Pick> pick;             // in a picture
  CodeLink code;                             // in Source
  std::shared_ptr<const Touchers> touchers;  // of an element in Access
  bool operator==(const Hover&) const = default;
};

/// Places of pictures, and lines of the kernel's text.
struct AnswerPlaces {
  std::vector<viz::Pick> picks;
  std::vector<int> lines;
  bool operator==(const AnswerPlaces&) const = default;
};
/// A figure, or a choice about it, of which tables and bars have a row: what was said of it and
/// what it is, in words with their units.
struct AnsweredFact {
  std::string row;    // "l2": as launch_facts() and features name their figures
  std::string title;  // what was asked for: "L2 → SM"
  std::string said, right;
  bool operator==(const AnsweredFact&) const = default;
};
/// Read it by wrong_answer() and answered_fact() (app/state/wrong_answer.h).
struct WrongAnswer {
  AnswerPlaces answered, right;
  std::optional<AnsweredFact> fact = {};
  uint64_t serial = 0, device = 0;  // of the edit and the device that they are of; 0: there is none
};

struct Playhead {
  int column = 0;  // of the Timeline
  bool playing = false;
  float events_per_second = 40;
  bool loop_k_step = true;
  double carry = 0;  // fraction of an event not yet stepped
  int k_step = 0;    // chosen: the trace's window is recorded around it
};

/// What follows from an Edit alone: no worker, no clock. Made by derive().
struct Derived {
  const KernelEntry* kernel = nullptr;  // null: the subject is no rung, and there is no plan
  KernelPlan plan;                      // of the tile as it stands, legal or not
  Launch launch;
  Violation violation;
  std::string sentence;               // why it is illegal, empty if legal
  std::optional<TileConfig> nearest;  // a legal tile close by, if illegal
  std::string nearest_label;          // "7 stages"
  model::Traffic traffic;             // of the plan
  model::Prediction prediction;       // of one launch on the chosen GPU; us = 0: not modelled
  // What is learned while the edit rests (app/state/expectation.h): `prediction` has it.
  model::CompiledFacts compiled;
  std::shared_ptr<const model::L2Traffic> l2;  // null: not simulated yet
  model::L2Machine l2_machine;                 // that `l2` is of
  /// A rung is looked at, and its tile can be launched.
  bool legal() const { return kernel && violation.legal(); }
};

/// Where a figure comes from; each one on screen carries it.
enum class Standing { none, measured, recorded, modelled, emulated };

enum class Stage {
  idle,
  debouncing,
  queued,
  compiling,
  tracing,
  emulating,
  checking,
  measuring,
  done,
  failed
};

/// C on its way to being verified whole, part by part (verifying.h).
struct Verifying {
  std::optional<model::VerificationOrder> order;  // from the first part on
  worker::ComparedSums sums;
  bool asked = false;       // by hand: however long it takes
  bool stopped = false;     // by hand, or since a part failed: not by itself any more
  std::string why_stopped;  // one sentence of the worker
};

/// What results are of (app/state/found.h).
struct FoundFor {
  Subject subject;
  Problem problem;
  std::string device, gpu, kernel_dir;
  uint64_t kernel_files_serial = 0;
  bool operator==(const FoundFor&) const = default;
};

/// What the worker has said of the present edit. Kept while newer work runs, marked by `revision`.
struct Results {
  uint64_t edit_serial = 0;    // of the edit that these belong to
  std::optional<FoundFor> of;  // once each step was done: they are found again by it
  Stage stage = Stage::idle;
  double stage_since = 0;  // seconds, the window's clock
  std::string error;       // one sentence, empty if none
  std::string error_details;
  std::string compile_log;                       // of a compilation that failed
  std::optional<worker::KernelRequest> instead;  // the nearest that can be run where this cannot
  std::optional<worker::CompileResult> compile;
  std::shared_ptr<const worker::TraceResult> trace;
  std::shared_ptr<const Timeline> timeline;  // of `trace`; null exactly when that is
  Coord traced_tile{-1, -1};                 // that was chosen when `trace` was asked for,
  int traced_k = -1;                         // and the k step
  std::optional<worker::EmulateResult> emulated;
  Verifying verifying;      // beyond what `emulated` began with
  double emulate_done = 0;  // fraction while emulating
  std::optional<worker::MeasureResult> measured;
  std::optional<worker::CountersResult> counters;  // the card's own, asked for by hand; recorded
  /// What the checks found at lines of the source, and remarks on speed.
  std::vector<worker::CodeFinding> findings;
};

/// One point of the history: an edit and what became of it.
struct HistoryPoint {
  Edit edit;
  std::string label;  // "128×128×64, 64×64, 3 stages", "sgemm.cu"
  // Of a kernel of one's own: "64×64×64" if it is a GEMM, and of its PTX, since the file may be
  // another one by now.
  std::string size, revision;
  Standing standing = Standing::none;
  std::optional<double> tflops, time_us, of_library;
  double l2_intensity = 0;  // FLOP per byte between L2 and SMs, by the model; 0: not known
  std::string device, date;
  bool verified = false;
  bool older_kernel = false;  // recorded, and the kernel has changed since
};
struct Baseline {
  std::string name;
  HistoryPoint point;
};

/// What several panels heed.
struct ViewOptions {
  std::string device;        // chosen by hand: "cuda:0", "recorded:NVIDIA H200"; empty = the best
  std::string device_title;  // of that, as it was called then
  bool count_elements = false;      // "as in the notes"
  int line_metric = 0;              // beside the lines of Source: LineMetric (access_rows.h)
  std::string gpu = "NVIDIA H200";  // row of the device table: model and limits of the emulator
};

/// Where the value under the pointer came from, asked of the emulator.
struct Origins {
  std::optional<worker::OriginQuestion> wanted;  // this frame's, by a tooltip
  std::optional<worker::OriginQuestion> asked;   // being answered, or answered
  uint64_t serial = 0;                           // of the edit that was asked about
  bool running = false;
  std::optional<worker::OriginResult> answer;  // to `asked`
  std::string error;                           // one sentence, instead of an answer
};

using worker::RecordedCard;

/// Sources of rungs that somebody has changed in the window (app/state/private_copy.h).
struct PrivateCopies {
  std::string folder;      // a folder of each rung's own in it; empty: none was needed yet
  bool temporary = false;  // it goes with the window
  uint64_t saved = 0;      // +1 with every file that the window has written
  std::string written;     // the last of them, and when that was, as the file system says
  int64_t written_at = 0;
};

/// The machine code of the present kernel, read while somebody looks at it.
struct Disassembly {
  bool wanted = false;  // this frame's
  bool running = false;
  std::shared_ptr<const worker::SassListing> listing;
  std::string error, error_details;  // why there is none, one sentence
};

struct AppState {
  Edit edit;
  Derived derived;
  uint64_t edit_serial = 1;  // +1 with every change of `edit`
  Selection selection;
  Hover hover, hover_before;  // this frame's (being collected) and the last frame's (to draw)
  WrongAnswer wrong_answer;
  /// The panel that shows `results.error`: this frame's, and the last frame's. One sentence stands
  /// in one place; the status bar has it where no panel does.
  std::string error_place, error_place_before;
  Playhead playhead;
  ViewOptions view;
  DeviceLimits limits;
  Results results;
  std::vector<Results> found;  // of edits before, last first (app/state/found.h)
  std::vector<HistoryPoint> history;
  std::vector<Baseline> pinned;
  KnownResults known;  // of the present problem on the present device
  std::string store;   // folder of own results; empty: none are kept
  std::shared_ptr<ModelMemo> models = std::make_shared<ModelMemo>();
  std::vector<Edit> undo, redo;
  /// Undo's next step where that is no edit (app/state/answer.h); empty: it is one.
  std::function<void(AppState&)> take_back;
  std::string kernel_note;  // what the choice of a kernel changed beside it: "layout TT comes …"
  uint64_t kernel_note_serial = 0;  // of the edit that it is said of
  int drag = 0;                     // id of the widget whose drag made the last undo step, 0 = none
  std::string kernel_dir;  // of the command line: where kernel sources are read, empty = built in
  uint64_t kernel_files_serial = 0;  // +1 when a file there was seen to have changed
  std::string kernel_dir_notice;     // why nobody sees when one does: one sentence
  PrivateCopies private_copies;
  Origins origins;
  Disassembly disassembly;
  /// Of the subject as it stands, where it is a kernel of one's own whose sheet was confirmed and
  /// can run (present_launch.h); else null.
  std::shared_ptr<const worker::LaunchRequest> own_launch;
  /// Of a link: a kernel of somebody's own, by its file's name and its sheet; empty: none is waited
  /// for. Whoever opens a file of that name gets the sheet.
  OwnKernel awaited;
  CodeLink code_link;                       // that was clicked (code_link.h)
  std::string access_row;                   // or a row of accesses instead (access_rows.h)
  uint64_t code_link_serial = 0;            // of the edit that they are of
  std::vector<worker::DeviceInfo> devices;  // that the worker found
  std::vector<RecordedCard> recordings;     // what was measured elsewhere, or here before
  bool devices_known = false, recordings_known = false;
  std::string device;          // that is measured on; empty: not known yet (device.h)
  uint64_t device_serial = 1;  // +1 with every change of `device`
  std::string device_notice;   // the chosen one is not there: one sentence
  model::DeviceRow gpu;        // whose limits, roofs and rates count: the device's, or the chosen
  std::string said;            // what a click has done, for some seconds: "Copied …"
  double said_until = 0;       // seconds
  std::string notice;          // one sentence for the status bar (worker restarted, file damaged)
  double now = 0;              // seconds
  double frame_seconds = 0;    // since the last frame, for animations
  bool animating = false;      // set by a panel in motion: the next frame must not wait

  /// A feature's own part.
  template <class T>
  T& of() {
    return slices.of<T>();
  }
  template <class T>
  const T& of() const {
    return slices.of<T>();
  }
  Slices slices;
};

}  // namespace tilescope
