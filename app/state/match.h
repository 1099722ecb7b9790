// How well what somebody types names something: for the palette.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Scores of one word, better first. A match of several words is as good as their mean, so that a
/// whole word beats any beginning and a beginning any letters inside. kExact: it is what was typed.
inline constexpr int kExact = 1100, kWholeWord = 1000, kWordStart = 800, kInside = 500,
                     kScattered = 100;

/// 0: no match; else higher is better. Each word of `typed` must be found in a word of `text` that
/// no other is found in; case, and what is neither letter nor figure, is passed over. Only if that
/// fails, all letters in their order: kScattered at most.
int match_score(std::string_view typed, std::string_view text);

/// The words of a text in small letters: "M=2048, block_m" → m, 2048, block, m. A point between
/// figures and a minus before one stay: "-0.5".
std::vector<std::string> words_in(std::string_view text);

}  // namespace tilescope
