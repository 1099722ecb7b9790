#include "app/kit/core/answered_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/kit/answer_frame.h"
#include "app/kit/widgets.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

using viz::AnswerSign;

/// In the frame of its sign, no wider than `room`.
void signed_words(const AppContext& context, const AnsweredFact& fact, AnswerSign sign,
                  float room) {
  const bool said = sign == AnswerSign::answered;
  const std::string& words = said ? fact.said : fact.right;
  const float edge = 3 * context.scale;  // the frame lies outside of the words
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + edge);
  elided(context, words, said ? Tone::warning : Tone::ok, std::max(2 * edge, room - 2 * edge));
  answer_frame(context, sign);
  tooltip(context,
          fmt::format("{}\n{}: {}", translated(fact.title),
                      translated(said ? "your answer" : "what is right"), translated(words)));
}

}  // namespace

void answered_row(const AppContext& context, std::string_view row) {
  const AnsweredFact* fact = answered_fact(*context.state, row);
  if (!fact) return;
  const float room = ImGui::GetContentRegionAvail().x;
  for (const AnswerSign sign : {AnswerSign::answered, AnswerSign::right}) {
    signed_words(context, *fact, sign, room);
  }
}

void answered_line(const AppContext& context, std::span<const char* const> sections) {
  const AnsweredFact* fact = answered_fact_of(*context.state, sections);
  if (!fact) return;
  const float s = context.scale, gap = 8 * s, room = ImGui::GetContentRegionAvail().x;
  const bool narrow = room < 240 * s;  // then each has a line of its own
  elided(context, fact->title, Tone::dim, narrow ? room : 0.4f * room);
  for (const AnswerSign sign : {AnswerSign::answered, AnswerSign::right}) {
    if (!narrow) ImGui::SameLine(0, gap);
    signed_words(context, *fact, sign, narrow ? room : 0.3f * room - gap);
  }
}

}  // namespace tilescope::widgets
