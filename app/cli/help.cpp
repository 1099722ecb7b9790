#include "app/cli/help.h"

#include <fmt/format.h>

#include <vector>

namespace tilescope::cli {
namespace {

constexpr size_t kColumns = 96;     // of a line
constexpr size_t kTextColumn = 26;  // where the description of an option begins

/// Characters that a terminal shows: bytes of UTF-8 that begin one.
size_t shown_width(const std::string& text) {
  size_t width = 0;
  for (const char byte : text) width += (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
  return width;
}

/// The words of `text` on lines of at most kColumns, those after the first indented. `line` is what
/// stands on the first line already. A line break in `text` stays one, and the form of a JSON
/// document, which has no spaces, may be broken behind its commas.
std::string wrapped(std::string line, const std::string& text, size_t indent) {
  std::string lines, word;
  std::string gap;  // between the line's last word and this one
  const auto end_line = [&] {
    lines += line + "\n";
    line = std::string(indent, ' ');
    gap.clear();
  };
  bool begun = false;  // the line has words after its indentation
  const auto end_word = [&](const char* next_gap) {
    if (!word.empty()) {
      if (begun && shown_width(line + gap + word) > kColumns) end_line();
      line += gap + word;
      begun = true;
      word.clear();
    }
    gap = next_gap;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') {
      end_word(" ");
    } else if (text[i] == '\n') {
      end_word("");
      end_line();
      begun = false;
    } else {
      word += text[i];
      if (text[i] == ',' && i + 1 < text.size() && text[i + 1] == '"') end_word("");
    }
  }
  end_word("");
  return lines + line + "\n";
}

/// "--size MxNxK", or the name of a positional.
std::string option_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  // Behind the colon stands what a value is checked for.
  const std::string value = type.substr(0, type.find(':'));
  return option.get_name(false, true) + (value.empty() ? "" : " " + value);
}

/// The description, and what CLI11 knows of the option beside it.
std::string option_words(const CLI::Option& option) {
  std::string words = option.get_description();
  std::string known;
  const auto add = [&](const std::string& what) { known += (known.empty() ? "" : "; ") + what; };
  const std::string type = option.get_type_name();
  if (const size_t range = type.find(" in ["); range != std::string::npos) {
    const std::string limits = type.substr(range + 5, type.find(']', range) - range - 5);
    const size_t dash = limits.find(" - ");
    add(limits.substr(0, dash) + " to " + limits.substr(dash + 3));
  }
  if (!option.get_default_str().empty()) add("default " + option.get_default_str());
  if (option.get_required()) add("required");
  if (option.get_expected_max() > 1) add("any number of times");
  return known.empty() ? words : fmt::format("{} ({})", words, known);
}

std::string row(const std::string& name, const std::string& words) {
  std::string line = "  " + name;
  if (shown_width(line) + 2 > kTextColumn) {
    return line + "\n" + wrapped(std::string(kTextColumn, ' '), words, kTextColumn);
  }
  line += std::string(kTextColumn - shown_width(line), ' ');
  return wrapped(line, words, kTextColumn);
}

/// A heading and its rows; nothing where there are none.
std::string block(const std::string& heading, const std::vector<const CLI::Option*>& options) {
  std::string text;
  for (const CLI::Option* option : options)
    text += row(option_name(*option), option_words(*option));
  return text.empty() ? "" : "\n" + heading + ":\n" + text;
}

}  // namespace

std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::string text = wrapped("", app->get_description(), 0) + "\nUsage: " + name;
  const auto positional =
      app->get_options([](const CLI::Option* o) { return o->get_positional(); });
  const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
  if (!commands.empty()) text += " COMMAND";
  for (const CLI::Option* option : positional) text += " " + option_name(*option);
  text += " [OPTIONS]\n" + block("Arguments", positional);
  for (const std::string& group : app->get_groups()) {
    const std::string heading = group == "OPTIONS" ? "Options" : group;  // CLI11's own, by version
    text += block(heading, app->get_options([&](const CLI::Option* o) {
      return !o->get_positional() && o->get_group() == group;
    }));
  }
  if (!commands.empty()) text += "\nCommands:\n";
  for (const CLI::App* command : commands) {
    text += row(command->get_name(), command->get_description());
  }
  if (!app->get_footer().empty()) text += "\n" + wrapped("", app->get_footer(), 0);
  return text;
}

}  // namespace tilescope::cli
