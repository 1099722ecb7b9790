#include "app/draw/lesson_pages.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "app/draw/html.h"
#include "app/draw/named_lessons.h"
#include "app/draw/play_on_emulator.h"
#include "app/features/lessons/lesson_run.h"
#include "app/shell/folders.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/state_link.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"
#include "viz/vector/fonts_of_folder.h"
#include "viz/vector/vector.h"

namespace tilescope {
namespace {

constexpr int kBadUsage = 2, kFaulty = 4;
constexpr viz::Size kPictureSize = {760, 440};

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; }
body { max-width: 760px; margin: 2rem auto; padding: 0 1rem; line-height: 1.55;
  font-family: Inter, "Noto Sans SC", system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.4rem; }
img { width: 100%; height: auto; border-radius: 6px; }
code { font-family: "JetBrains Mono", monospace; font-size: 0.9em; overflow-wrap: anywhere; }
.ask { font-weight: 600; border-left: 4px solid #2f81f7; padding-left: 0.8rem; }
details { margin: 0.8rem 0; } summary { cursor: pointer; }
nav { display: flex; justify-content: space-between; gap: 1rem; margin: 2rem 0; }
footer, .link { font-size: 0.85rem; opacity: 0.8; }
)css";

/// The files of one folder; what cannot be written is told once.
class Pages {
 public:
  explicit Pages(std::filesystem::path folder) : folder_(std::move(folder)) {}
  bool ok() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  void write(const std::string& name, std::string_view bytes) {
    if (ok()) why_not_ = files::replace_file((folder_ / name).string(), bytes);
  }

 private:
  std::filesystem::path folder_;
  std::string why_not_;
};

/// What a page's step shows: where it says none, what it asks to be seen, if that is a picture.
const Picture& picture_of(const LessonStep& step) {
  for (const std::string& name : {step.picture, step.see}) {
    if (const Picture* picture = find_picture(name)) return *picture;
  }
  return *find_picture("tiling");
}

/// One lesson as HTML, step by step while it is played.
class LessonPage {
 public:
  LessonPage(const Lesson& lesson, const Options& options, Pages& pages)
      : lesson_(lesson), options_(options), pages_(pages) {}

  LessonPlay make() {
    return play_on_emulator(lesson_, [&](AppState& state, const Advance& advance) {
      return LessonWatch{[&](size_t step) { begin_step(step, state, advance); },
                         [&](size_t step) { end_step(step, state, advance); }};
    });
  }
  std::string body() {
    if (std::exchange(open_, false)) steps_ += "</section>\n";
    return fmt::format("<h1>{}</h1>\n{}", html_text(translated(lesson_.title)),
                       html_of_markdown(translated(lesson_.text))) +
           steps_;
  }

 private:
  void begin_step(size_t i, AppState& state, const Advance& advance) {
    const LessonStep& step = lesson_.steps[i];
    if (std::exchange(open_, true)) steps_ += "</section>\n";  // of a faulty step
    steps_ +=
        fmt::format("<section id=\"step-{}\">\n<h2>{}</h2>\n{}", i + 1,
                    html_text(translated(step.title)), html_of_markdown(translated(step.text)));
    const bool asks = step.kind != LessonStep::Kind::read;
    // What is to be done is seen once it is done.
    if (step.kind != LessonStep::Kind::act) steps_ += figure(i, "", state, advance);
    if (asks)
      steps_ += fmt::format("<p class=\"ask\">{}</p>\n", html_text(translated(step.prompt)));
    steps_ += link(state);
    if (!asks) {
      steps_ += "</section>\n";
      open_ = false;
    }
  }

  void end_step(size_t i, AppState& state, const Advance& advance) {
    const LessonStep& step = lesson_.steps[i];
    if (step.kind == LessonStep::Kind::read) return;
    // The click that was right stands in the picture; a figure's picture stays what it was.
    const bool changes =
        step.kind != LessonStep::Kind::number && step.kind != LessonStep::Kind::choice;
    const std::string& words = state.of<LessonView>().words;
    steps_ += fmt::format("<details>\n<summary>{}</summary>\n", html_text(tr("What is found")));
    if (!words.empty()) steps_ += fmt::format("<p>{}</p>\n", html_text(words));
    if (changes) {
      const std::string above = std::exchange(shown_, {});  // what is folded away does not count
      steps_ += figure(i, "-found", state, advance);
      shown_ = above;
    }
    steps_ += "</details>\n</section>\n";
    open_ = false;
  }

  /// The picture as files beside the page.
  std::string figure(size_t i, const char* ending, AppState& state, const Advance& advance) {
    const Picture& picture = picture_of(lesson_.steps[i]);
    const auto whole = [&] {  // of what comes after the trace all that comes
      return state.results.trace && !picture.needs.measured &&
             (!picture.needs.ask || picture.needs.ask(state));
    };
    while (!whole() && advance(state)) {
    }
    const auto svg = [&](const viz::Palette& palette) {
      return viz::render(picture.build(state, palette, measure_, kPictureSize), viz::FileKind::svg,
                         {});
    };
    std::string light = svg(viz::light_palette());
    const auto [drawn, is_new] =
        drawn_.try_emplace(light, fmt::format("{}-{}{}", lesson_.id, i + 1, ending));
    const std::string& stem = drawn->second;
    if (is_new) {  // many steps look at the same
      pages_.write(stem + ".svg", light);
      pages_.write(stem + "-dark.svg", svg(viz::dark_palette()));
    }
    if (std::exchange(shown_, stem) == stem) return {};  // it stands above
    return fmt::format(
        "<picture><source srcset=\"{0}-dark.svg\" media=\"(prefers-color-scheme: dark)\">"
        "<img src=\"{0}.svg\" width=\"{1:.0f}\" height=\"{2:.0f}\" alt=\"{3}\"></picture>\n",
        stem, kPictureSize.w, kPictureSize.h,
        html_text(fmt::format("{}: {}", picture.name, tile_label(state.edit))));
  }

  /// Where the step is opened: in the page, or by the program.
  std::string link(const AppState& state) const {
    std::string error;
    const std::string link = link_of(state, &error);
    if (link.empty()) return {};
    if (!options_.page.empty()) {
      return fmt::format("<p class=\"link\"><a href=\"{}#{}\">{}</a></p>\n",
                         html_text(options_.page), html_text(link.substr(link.find(':') + 1)),
                         html_text(tr("Open this step in Tilescope")));
    }
    return fmt::format(
        "<details class=\"link\"><summary>{}</summary><code>./run --open '{}'"
        "</code></details>\n",
        html_text(tr("Open this step in Tilescope")), html_text(link));
  }

  const Lesson& lesson_;
  const Options& options_;
  Pages& pages_;
  viz::CairoMeasure measure_;
  bool open_ = false;                         // a step's section
  std::string shown_;                         // the last one
  std::map<std::string, std::string> drawn_;  // names of files by what is in them
  std::string steps_;
};

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" "
      "href=\"lessons.css\">\n</head>\n<body>\n{}"
      "</body>\n</html>\n",
      language().id, html_text(title), body);
}

std::string anchor(const Lesson* lesson, const char* before, const char* after) {
  if (!lesson) return "<span></span>";
  return fmt::format("<a href=\"{}.html\">{}{}{}</a>", lesson->id, before,
                     html_text(translated(lesson->title)), after);
}

std::string index_body(const std::vector<const Lesson*>& chosen) {
  std::string body = fmt::format("<h1>{}</h1>\n<p>{}</p>\n<ol>\n", html_text(tr("Lessons")),
                                 html_text(tr("Predict, then see: what is right is what the kernel "
                                              "itself does, executed, counted or modelled.")));
  for (const Lesson* lesson : chosen) {
    body += fmt::format("<li>{} ({})</li>\n", anchor(lesson, "", ""),
                        html_text(wording("{} steps", lesson->steps.size())));
  }
  return body + "</ol>\n";
}

}  // namespace

int write_lesson_pages(const Options& options) {
  const std::vector<const Lesson*> chosen = named_lessons(options);
  if (chosen.empty()) return kBadUsage;
  if (!options.language.empty()) use_language(options.language);
  viz::use_fonts_of((assets_folder() / "fonts").string());
  std::error_code error;
  std::filesystem::create_directories(options.html, error);
  Pages pages(options.html);
  size_t faults = 0;
  for (size_t i = 0; i < chosen.size() && pages.ok(); ++i) {
    LessonPage one(*chosen[i], options, pages);
    const LessonPlay play = one.make();
    for (const LessonFault& fault : play.faults) print_fault(fault);
    faults += play.faults.size();
    const std::string nav =
        fmt::format("<nav>{}<a href=\"index.html\">{}</a>{}</nav>\n",
                    anchor(i > 0 ? chosen[i - 1] : nullptr, "← ", ""), html_text(tr("Lessons")),
                    anchor(i + 1 < chosen.size() ? chosen[i + 1] : nullptr, "", " →"));
    pages.write(chosen[i]->id + ".html",
                page(std::string(translated(chosen[i]->title)), one.body() + nav));
  }
  pages.write("lessons.css", kStyle.substr(1));
  pages.write("index.html", page(tr("Lessons"), index_body(chosen)));
  if (pages.ok()) return faults == 0 ? 0 : kFaulty;
  std::fprintf(stderr, "tilescope: %s\n", pages.why_not().c_str());
  return kFaulty;
}

}  // namespace tilescope
