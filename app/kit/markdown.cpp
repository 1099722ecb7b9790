#include "app/kit/markdown.h"

#include <imgui_md.h>

#include <vector>

#include "app/common/glossary.h"
#include "app/kit/widgets.h"
#include "core/files/whole_file.h"

namespace tilescope::widgets {
namespace {

/// In their order, without those in blocks of code.
std::vector<std::string> heading_anchors(std::string_view text) {
  std::vector<std::string> anchors;
  bool code = false;
  for (const std::string_view line : files::lines_of(text)) {
    if (line.starts_with("```")) code = !code;
    if (code || !line.starts_with('#')) continue;
    const size_t begin = line.find_first_not_of('#');
    if (begin != line.npos && line[begin] == ' ') {
      anchors.push_back(anchor_of(std::string(line.substr(begin + 1))));
    }
  }
  return anchors;
}

class Printer : public imgui_md {
 public:
  Printer(const AppContext& context, std::string_view text, const MarkdownEvents& events)
      : context_(context), events_(events), anchors_(heading_anchors(text)) {
    m_table_border = false;
  }
  bool found() const { return found_; }

 protected:
  MdSizedFont get_font() const override {
    const Fonts& fonts = context_.fonts;
    if (m_is_code) return {fonts.mono, Fonts::kLabel};
    switch (m_hlevel) {
      case 1:
        return {fonts.bold, 21};
      case 2:
        return {fonts.bold, 16};
      case 0:
        return {m_is_strong || m_is_table_header ? fonts.bold : fonts.text, Fonts::kText};
      default:
        return {fonts.bold, 14};
    }
  }
  ImVec4 get_color() const override {
    return to_vec4(m_href.empty() ? context_.theme->text : context_.theme->accent);
  }
  void push_code_style() override {
    ImGui::PushFont(context_.fonts.mono, Fonts::kLabel);
    ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context_.theme->text));
  }
  void pop_code_style() override {
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  void BLOCK_H(const MD_BLOCK_H_DETAIL* detail, bool enter) override {
    if (enter) {
      ImGui::Dummy({0, (detail->level == 1 ? 2 : 8) * context_.scale});
      const bool wanted = !events_.scroll_to.empty() && !found_ && heading_ < anchors_.size() &&
                          anchors_[heading_] == events_.scroll_to;
      ++heading_;
      if (wanted) ImGui::SetScrollHereY(0);
      found_ = found_ || wanted;
    }
    imgui_md::BLOCK_H(detail, enter);
  }
  void BLOCK_LI(const MD_BLOCK_LI_DETAIL* detail, bool enter) override {
    items_ += enter ? 1 : -1;
    imgui_md::BLOCK_LI(detail, enter);
  }
  void BLOCK_P(bool enter) override {
    if (enter && items_ == 0) ImGui::Dummy({0, 2 * context_.scale});
  }
  /// On a ground of its own; lines stay whole, what is wide scrolls.
  void render_code_block() override {
    const Theme& theme = *context_.theme;
    while (m_code_block.ends_with('\n')) m_code_block.pop_back();
    ImGui::PushFont(context_.fonts.mono, Fonts::kLabel);
    const ImVec2 size = ImGui::CalcTextSize(m_code_block.c_str());
    const ImGuiStyle& style = ImGui::GetStyle();
    const bool wide = size.x + 2 * style.WindowPadding.x > ImGui::GetContentRegionAvail().x;
    const float height =
        size.y + 2 * style.WindowPadding.y + (wide ? style.ScrollbarSize : 0) + context_.scale;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(theme.frame));
    ImGui::PushID(code_++);
    if (ImGui::BeginChild("##code", {0, height}, ImGuiChildFlags_AlwaysUseWindowPadding,
                          ImGuiWindowFlags_HorizontalScrollbar)) {
      ImGui::TextUnformatted(m_code_block.c_str());
    }
    ImGui::EndChild();
    ImGui::PopID();
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  /// Captions are as large as all other text.
  bool check_html(const char* begin, const char* end) override {
    const std::string_view tag(begin, static_cast<size_t>(end - begin));
    return tag == "<sub>" || tag == "</sub>" || imgui_md::check_html(begin, end);
  }
  /// Pictures are of the window's own panels: they are there to be opened.
  void SPAN_IMG(const MD_SPAN_IMG_DETAIL*, bool enter) override { m_is_image = enter; }
  bool get_image(image_info&) const override { return false; }
  void open_url() const override {
    if (events_.clicked) events_.clicked(m_href);
  }

 private:
  const AppContext& context_;
  const MarkdownEvents& events_;
  std::vector<std::string> anchors_;  // of all headings
  size_t heading_ = 0;                // that comes next
  int items_ = 0;                     // of lists, that this is within
  int code_ = 0;
  bool found_ = false;
};

}  // namespace

bool markdown(const AppContext& context, std::string_view text, const MarkdownEvents& events) {
  Printer printer(context, text, events);
  printer.print(text.data(), text.data() + text.size());
  return printer.found();
}

}  // namespace tilescope::widgets
