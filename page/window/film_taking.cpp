// A page makes no films.
#include "app/shell/film_taking.h"

namespace tilescope {

struct FilmTaking::State {};

std::span<const char* const> FilmTaking::endings() { return {}; }
bool FilmTaking::is_one(const std::string&) { return false; }
FilmTaking::FilmTaking(AppState&, FilmOptions, const ScreenPart&) {}
FilmTaking::~FilmTaking() = default;
void FilmTaking::before_frame() {}
void FilmTaking::after_frame() {}
bool FilmTaking::ended() const { return true; }
std::string FilmTaking::error() const { return "a page makes no films"; }
int FilmTaking::taken() const { return 0; }
int FilmTaking::frames() const { return 0; }

}  // namespace tilescope
