// A language's font, which the page has fetched.
#pragma once

namespace tilescope {

/// kLanguageFont lies in the page's memory now: who waits for it goes on. Between frames.
void language_font_came();

}  // namespace tilescope
