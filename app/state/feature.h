// What a feature gives the rest of the app: two rows, one without the window (`NAME_feature`, in
// app/features/NAME/feature.cpp) and one with it (`NAME_window`, in its panels/window.cpp). The
// line of app/features/feature_list.h names it; nothing else does.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/answer.h"
#include "app/state/app_state.h"
#include "app/state/picture_state.h"
#include "viz/scene/scene.h"

namespace tilescope {

class Asker;
struct WorkerLink;

/// What the worker or the model must have said before a picture is whole.
struct PictureNeeds {
  bool measured = false;  // what comes after the trace, too: a measurement or a record
  /// Of the feature's own: called once per frame, asks for it as a panel would; true once it is
  /// there.
  bool (*ask)(AppState&) = nullptr;
};

/// What can be drawn without a window: SVG, PDF, tests.
struct Picture {
  const char* name;  // a panel's id where the panel is this picture through and through
  bool is_panel = true;
  PictureNeeds needs = {};
  viz::Scene (*build)(const AppState&, const viz::Palette&, const viz::TextMeasure&, viz::Size);
  bool without_plan = false;  // it is drawn whatever the subject is, a kernel of one's own too
  /// For those that are drawn of two positions beside each other: what it is made of, without what
  /// a panel's header says.
  std::unique_ptr<PictureState> (*state)(const AppState&) = nullptr;
};
/// Why there is nothing to draw, in a sentence with the way out: `what`, "Tiling", is drawn from a
/// plan, and the subject has none. Empty: it has.
std::string why_no_plan(const AppState& state, std::string_view what);

struct KnownFigure {
  double value = 0;
  std::string text;       // with its unit, "1.25 ms"
  bool modelled = false;  // else executed or measured
};
/// A figure of what a feature has chosen beside the kernel, for whoever asks by its name, such as a
/// lesson.
struct NamedFigure {
  const char* id;     // "layer.time"
  const char* title;  // "time of the layer"
  /// Nothing where it is not known yet, or there is none.
  std::optional<KnownFigure> (*value)(const AppState&);
  /// Once per frame while somebody waits for it.
  void (*ask)(AppState&) = nullptr;
};

/// What a session file keeps of a feature. load() bears any object; what it lacks stays.
struct SessionPart {
  void (*save)(const AppState&, nlohmann::json& session) = nullptr;
  void (*load)(AppState&, const nlohmann::json& session) = nullptr;
  bool personal = false;  // what is a person's own, such as paths: in no link
  /// Beside save(), of what is a person's own where not all of it is.
  void (*save_personal)(const AppState&, nlohmann::json& session) = nullptr;
  /// Files that the person has opened by this feature, which a state may open again.
  std::vector<std::string> (*opened)(const AppState&) = nullptr;
};

/// All columns may be empty.
struct Feature {
  std::vector<std::unique_ptr<Asker>> (*askers)(WorkerLink&) = nullptr;
  /// Once per frame, before its panels are drawn: what is collected in one frame for the next.
  void (*begin_frame)(AppState&) = nullptr;
  SessionPart session = {};
  /// Why what it has chosen beside the kernel cannot be, in a sentence, while somebody looks at it;
  /// empty: it can.
  std::string (*impossible)(const AppState&) = nullptr;
  std::span<const Picture> pictures = {};
  std::span<const NamedFigure> figures = {};
  /// What the palette can do here for what is typed: the few best, not all that there is.
  std::vector<Answer> (*answers)(const AppState&, std::string_view typed) = nullptr;
};

/// In the order of feature_list.h.
std::span<const Feature* const> all_features();

std::vector<const Picture*> all_pictures();
/// nullptr: no feature has it.
const NamedFigure* find_figure(std::string_view id);
/// nullptr: no such picture, or it is a panel drawn with widgets.
const Picture* find_picture(std::string_view name);

}  // namespace tilescope
