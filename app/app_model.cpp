// The state behind the window: session, undo, playback and the worker, as the shell asks for them.
#include "app/app_model.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "app/common/config_folder.h"
#include "app/common/own_cards.h"
#include "app/kit/clipboard.h"
#include "app/kit/widgets.h"
#include "app/live/live.h"
#include "app/panel.h"
#include "app/state/command_line.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/history.h"
#include "app/state/own_sheet.h"
#include "app/state/playback.h"
#include "app/state/present.h"
#include "app/state/session.h"
#include "app/state/session_place.h"
#include "app/state/state_link.h"
#include "app/state/status.h"
#include "app/state/trusted_files.h"
#include "app/state/verifying.h"
#include "core/files/json_file.h"
#include "core/language/language.h"

#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

std::unique_ptr<worker::Client> start_worker(const std::string& kernel_dir, std::string* why_not) {
  try {
    worker::ClientOptions options;
    options.kernel_dir = kernel_dir;
    return worker::Client::start_process(options);
  } catch (const std::exception& error) {
    *why_not = wording("The worker did not start ({}); pictures and model still work.",
                       std::string(error.what()));
    return nullptr;
  }
}

class Model : public AppModel {
 public:
  explicit Model(const StartOptions& options) : options_(options), state_(initial_state()) {
    if (!options.session_folder.empty()) {
      place_ = session_place(options.session_folder);
      file_ = place_.file;
      session_notice_ = place_.notice;
      std::string notice;
      const bool loaded = load_session(state_, file_, &notice);
      if (!notice.empty()) session_notice_ = notice;
      if (!loaded && std::filesystem::exists(file_)) file_.clear();  // not ours to write over
      saved_ = files::json_text(to_json(state_));
      state_.store = results_folder(options.session_folder);
      const std::string why = read_own_cards(options.session_folder + "/" + kCardsFile);
      if (session_notice_.empty()) session_notice_ = why;
      // Of a second window another: each puts away its own.
      state_.private_copies.folder = options.session_folder + "/changed" + place_.ending;
    }
    std::string why_not;
    state_.kernel_dir = options.kernel_dir;
    auto client = start_worker(options.kernel_dir, &why_not);
    live_ = std::make_unique<Live>(std::move(client), why_not);
    live_->set_time_limit(options.time_limit);
    live_->set_verify_beside(options.verify_beside && !options.rendering);
    live_->set_compile_ahead(options.compile_ahead && !options.rendering);
    if (!options.kernel_dir.empty()) live_->watch_kernels(options.kernel_dir);
    state_.now = seconds();
  }

  ~Model() override {
    std::error_code error;
    if (state_.private_copies.temporary) {
      std::filesystem::remove_all(state_.private_copies.folder, error);
    }
  }

  void attach(AppContext& context) override { context.state = &state_; }

  void begin_frame(AppContext& context) override {
    attach(context);
    const double now = seconds();
    const double passed = now - state_.now;
    state_.now = now;
    state_.frame_seconds = passed;
    animating_ = state_.animating;
    state_.animating = false;
    state_.hover_before = state_.hover;
    state_.hover = {};
    for (const Feature* feature : all_features()) {
      if (feature->begin_frame) feature->begin_frame(state_);
    }
    state_.error_place_before = std::exchange(state_.error_place, {});
    constexpr int kModelsPerFrame = 12;
    constexpr double kModelMs = 6;
    if (!options_.rendering) state_.models->begin_frame(kModelsPerFrame, kModelMs);
    if (std::exchange(show_sheet_, false)) context.commands.request("own.sheet");
    update();
    if (!options_.rendering) advance(state_, passed);
    if (!file_.empty() && now - saved_at_ > 3) save();
  }

  void take_answers() override {
    // Time moves on for frames alone: what is animated counts what passed between them.
    const double frame = std::exchange(state_.now, seconds());
    update();
    state_.now = frame;
  }

  void on_activity(std::function<void()> wake) override { live_->on_activity(std::move(wake)); }

  bool busy() const override { return live_->busy(state_) || moving(); }
  bool waiting() const override { return live_->busy(state_) && !moving(); }

  double unchanged_for() const override {
    const double said = state_.said_until - state_.now;
    return !state_.said.empty() && said > 0 ? said : AppModel::unchanged_for();
  }

  std::vector<StatusItem> status() const override {
    using Kind = StatusItem::Kind;
    std::vector<StatusItem> items = status_items(state_);
    if (!state_.notice.empty() && state_.notice == session_notice_) {
      items.push_back({state_.notice, Kind::kWarning, state_.notice});
    } else if (!state_.notice.empty() && state_.notice != state_.results.error) {
      items.push_back({state_.notice, Kind::kWarning,
                       wording("{}\nClick to restart the worker.", state_.notice),
                       "worker.restart"});
    }
    return items;
  }

  std::vector<Command> commands() override;
  float draw_menu_bar_right(AppContext& context, float x_end) override;

  bool open(const std::string& path, std::string* error) override {
    const bool link = is_link(path);
    if (!link && is_kernel_file(path)) {
      open_own_kernel(state_, {std::filesystem::absolute(path).string(), ""});
      show_sheet_ = true;
      return true;
    }
    // Named states lie in the window's own folder.
    const bool kept = !link && lies_below(path, options_.session_folder);
    if (!(link ? open_link(state_, path, error) : open_state_file(state_, path, error, kept))) {
      return false;
    }
    // A picture has no status bar.
    if (options_.rendering && !state_.said.empty()) {
      std::fprintf(stderr, "tilescope: %s\n", state_.said.c_str());
    }
    state_.undo.clear();
    state_.redo.clear();
    return true;
  }

  std::string link() const override {
    std::string error;
    const std::string whole = link_of(state_, &error);
    return whole.substr(whole.find(':') + 1);
  }

  std::string state_text() const override { return files::json_text(shown_json(state_), 1); }

  bool change(const std::string& json, std::string* error) override {
    return change_state(state_, json, error);
  }

  void save() override {
    saved_at_ = state_.now;
    if (file_.empty()) return;
    std::string text = files::json_text(to_json(state_)), error;
    std::error_code none;  // whoever has removed the file gets it again
    const bool kept = text == saved_ && std::filesystem::exists(file_, none);
    if (kept || save_session(state_, file_, &error)) {
      saved_ = std::move(text);
      if (!save_error_.empty() && session_notice_ == save_error_) {  // it is saved again
        if (state_.notice == session_notice_) state_.notice.clear();
        session_notice_.clear();
      }
    } else {
      session_notice_ = error;
    }
    save_error_ = std::move(error);
  }

 private:
  void copy_link();
  void open_copied();
  void add_rungs(std::vector<Command>* list);

  StartOptions options_;
  AppState state_;
  std::unique_ptr<Live> live_;
  SessionPlace place_;
  std::string file_, saved_, session_notice_, save_error_;
  double saved_at_ = 0;
  void update() {
    live_->update(state_);
    if (state_.notice.empty()) state_.notice = session_notice_;
  }
  bool moving() const { return state_.playhead.playing || animating_ || state_.animating; }

  bool animating_ = false;
  bool show_sheet_ = false;  // a kernel of somebody's own was opened
};

void Model::copy_link() {
  std::string error;
  const std::string link = link_of(state_, &error);
  if (link.empty()) return say(state_, error);
  ImGui::SetClipboardText(link.c_str());
  say(state_, wording("Copied a link of {} characters.", link.size()));
}

void Model::open_copied() {
  read_clipboard([this](const std::string& text, const std::string& why_not) {
    std::string error = why_not;
    if (error.empty()) open_state_text(state_, text, &error);
    if (!error.empty()) session_notice_ = error;
  });
}

/// What the choice of a rung brings with it.
std::string rung_effect(const AppState& state, const std::string& id) {
  if (state.edit.rung().kernel == id) return "is chosen now";
  const KernelEntry& kernel = *find_kernel(id.c_str());
  const auto left = state.edit.tiles.find(id);
  Edit edit;
  edit.subject =
      Rung{id, left != state.edit.tiles.end() ? left->second : kernel.sliders.defaults()};
  return wording("{}; {}", tile_label(edit), kernel.info.idea);
}

void Model::add_rungs(std::vector<Command>* list) {
  for (const KernelEntry& entry : kernel_table()) {
    const std::string id = entry.info.id;
    list->push_back({.id = "kernel." + id,
                     .title = fmt::format("{:02} {}", entry.info.number, id),
                     .menu = "Kernel",
                     .run = [this, id](AppContext&) { set_kernel(state_, id); },
                     .checked = [this, id](AppContext&) { return state_.edit.rung().kernel == id; },
                     .also = fmt::format("rung {} {}", entry.info.title, entry.info.idea),
                     .effect = [this, id](AppContext&) { return rung_effect(state_, id); }});
  }
}

std::vector<Command> Model::commands() {
  std::vector<Command> list;
  const auto add = [&](const char* id, const char* title, const char* shortcut, const char* menu,
                       auto run) {
    list.push_back({id, title, shortcut, menu, [this, run](AppContext&) { run(state_); }});
    return &list.back();
  };
  add("file.copy_state", "Copy state as text", "", "File",
      [](AppState& s) { ImGui::SetClipboardText(files::json_text(to_json(s)).c_str()); });
  add("file.copy_link", "Copy link to what is shown", "Ctrl+L", "File",
      [this](AppState&) { copy_link(); });
  add("file.copy_command", "Copy as command line", "", "File", [](AppState& s) {
    ImGui::SetClipboardText(command_line_of(s).c_str());
    say(s, wording("Copied: {}", command_line_of(s)));
  })->also = "bench tilescope-cli shell";
  add("file.paste_state", "Open link or state from the clipboard", "Ctrl+V", "File",
      [this](AppState&) { open_copied(); });
  add("edit.undo", "Undo", "Ctrl+Z", "Edit", [](AppState& s) { undo(s); })->enabled =
      [this](AppContext&) { return can_undo(state_); };
  add("edit.redo", "Redo", "Ctrl+Shift+Z", "Edit", [](AppState& s) { redo(s); })->enabled =
      [this](AppContext&) { return can_redo(state_); };
  add("edit.nearest", "Nearest legal tile", "", "Edit", [](AppState& s) {
    if (s.derived.nearest) set_tile(s, *s.derived.nearest);
  })->enabled = [this](AppContext&) { return state_.derived.nearest.has_value(); };
  add("edit.runnable", "Nearest tile that runs here", "", "Edit", [](AppState& s) {
    if (!s.results.instead) return;
    Edit edit = s.edit;
    edit.change_rung().tile = s.results.instead->tile;
    edit.problem = s.results.instead->problem;
    set_edit(s, edit);
  })->enabled = [this](AppContext&) { return state_.results.instead.has_value(); };
  add("edit.default_tile", "Default tile of this kernel", "", "Edit", [](AppState& s) {
    set_tile(s, s.derived.kernel->sliders.defaults());
  })->enabled = [this](AppContext&) { return state_.derived.kernel != nullptr; };
  add("edit.pin", "Pin this result as a baseline", "", "Edit",
      [](AppState& s) { pin(s, point_of(s), tile_label(s.edit)); });
  add("edit.unpin", "Remove the last pinned baseline", "", "Edit", [](AppState& s) {
    if (!s.pinned.empty()) unpin(s, s.pinned.size() - 1);
  })->enabled = [this](AppContext&) { return !state_.pinned.empty(); };
  add_rungs(&list);
  const auto has_trace = [this](AppContext&) { return state_.results.trace != nullptr; };
  const auto play = [&](const char* id, const char* title, const char* key, auto run) {
    add(id, title, key, "View/Playback", run)->enabled = has_trace;
  };
  play("play.toggle", "Play or pause", "Space", [](AppState& s) { play_or_pause(s); });
  play("play.next", "Next event", "Right", [](AppState& s) { step_events(s, 1); });
  play("play.previous", "Previous event", "Left", [](AppState& s) { step_events(s, -1); });
  play("play.next_k", "Next k step", "Shift+Right", [](AppState& s) { step_k(s, 1); });
  play("play.previous_k", "Previous k step", "Shift+Left", [](AppState& s) { step_k(s, -1); });
  play("play.first", "First event", "Home", [](AppState& s) { scrub(s, 0); });
  play("play.last", "Last event", "End",
       [](AppState& s) { scrub(s, s.results.timeline->columns() - 1); });
  add("view.up", "One level up", "Backspace", "View",
      [](AppState& s) { select_level(s, s.selection.level - 1); });
  list.push_back({.id = "run.again",
                  .title = "Run again",
                  .shortcut = "F5",
                  .menu = "Device",
                  .run = [this](AppContext&) { live_->run_again(state_); }});
  list.push_back({.id = "run.stop",
                  .title = "Stop what is running",
                  .shortcut = "Escape",
                  .menu = "Device",
                  .run = [this](AppContext&) { live_->stop(state_); },
                  .enabled = [this](AppContext&) { return live_->can_stop(state_); }});
  list.push_back({.id = "run.verify",
                  .title = "Verify the rest of C",
                  .menu = "Device",
                  .run = [this](AppContext&) { verify_rest(state_); },
                  .enabled = [this](AppContext&) { return can_verify_rest(state_); }});
  list.push_back({.id = "run.check",
                  .title = "Check all of k for races",
                  .menu = "Device",
                  .run = [this](AppContext&) { live_->check_all(state_); },
                  .enabled =
                      [this](AppContext&) {
                        const Results& r = present_results(state_);
                        return r.emulated && !r.emulated->checks.whole_k;
                      }});
  list.push_back({.id = "worker.restart",
                  .title = "Restart the worker",
                  .menu = "Device",
                  .run = [this](AppContext&) { live_->restart_worker(state_); }});
  return list;
}

float Model::draw_menu_bar_right(AppContext& context, float x_end) {
  // Of a narrow bar no more than its share: the layouts and the palette want room, too.
  const float width = std::clamp(0.22f * x_end, 150 * context.scale, 240 * context.scale);
  const ImVec2 before = ImGui::GetCursorPos();
  ImGui::SetCursorPos({x_end - width, before.y});
  ImGui::SetNextItemWidth(width);
  const std::string now =
      state_.device.empty() ? tr("looking for cards …") : device_title(state_, state_.device);
  const float room = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  const std::string shown = widgets::elide(now, room);
  if (ImGui::BeginCombo("##device", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const DeviceChoice& choice : device_choices(state_)) {
      ImGui::BeginDisabled(!choice.available);
      const std::string label = choice.title + "###" + choice.id;
      if (ImGui::Selectable(label.c_str(), state_.device == choice.id))
        choose_device(state_, choice.id);
      ImGui::EndDisabled();
      widgets::tooltip(context, choice.tip);
    }
    ImGui::EndCombo();
  }
  widgets::tooltip(context,
                   (shown == now ? "" : now + "\n") +
                       tr("Where the kernel is measured; limits, roofs and model are that "
                          "device's. The picture always comes from the kernel's own PTX, which "
                          "the emulator runs and verifies."));
  ImGui::SetCursorPos(before);
  return width;
}

}  // namespace

std::unique_ptr<AppModel> make_app_model(const StartOptions& options) {
  return std::make_unique<Model>(options);
}

}  // namespace tilescope
