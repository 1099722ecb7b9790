// A lesson: text, then steps, each with one thing to do or one prediction. It is a Markdown file of
// assets/lessons (docs/add_a_lesson.md); no right answer stands in it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct LessonStep {
  enum class Kind {
    read,    // nothing is asked
    act,     // something is set: `changes`
    number,  // a figure is predicted
    choice,  // one of few
    pick,    // a place in a picture
  };
  std::string title, text;  // text: Markdown
  int line = 0;             // of the file, of its heading; from 1
  Kind kind = Kind::read;
  std::string prompt;                // what is asked for, one sentence
  std::vector<std::string> changes;  // act: as they are typed into the palette, one after the other
  std::string fact;                  // number, choice, pick: what the answer is held against
  std::vector<std::string> of;       // its arguments: "A", "4", "3"
  bool against = false;              // number: in parts of B's
  std::string unit;                  // number: "MB"; empty: a plain number
  double within = 0.05;              // number: of the right one
  std::string see;                   // id of the panel that shows it
  std::string picture;               // name of the picture that a page shows; empty: of `see`
};

struct Lesson {
  std::string id;                   // its file without .md: "01_why_tiles"
  std::string title, text;          // Markdown before the first step
  std::vector<std::string> start;   // as typed into the palette: what is looked at when it begins
  std::vector<std::string> beside;  // the same, of B, from `start` on; empty: there is no B
  std::vector<LessonStep> steps;
};

/// What is wrong with a file, in one sentence.
struct LessonFault {
  std::string file;  // "01_why_tiles.md"
  int line = 0;
  std::string sentence;
};

/// Whether its facts and changes are there is not looked at here: find_faults() does.
Lesson parse_lesson(const std::string& id, std::string_view text, std::vector<LessonFault>* faults);

/// Those that the program has, in the order of their file names; a faulty line is left out.
const std::vector<Lesson>& lessons();
const Lesson* find_lesson(const std::string& id);
/// Of all of them, of their facts, units and changes too.
std::vector<LessonFault> find_faults(const std::vector<Lesson>& all);

}  // namespace tilescope
