// What is said of sessions, state files and links, which are read before anybody has chosen a
// language.
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr Told kToldByFiles[] = {
    {"The file is not a Tilescope state: it has no \"tilescope\" entry."},
    {"The file was written by a newer Tilescope (format {}, this one reads {})."},
    {"The file has no \"edit\" object; it is not a Tilescope state."},
    {"The file names the kernel \"{}\", which this version does not have."},
    {"The file's size {} is outside 1 to {}."},
    {"The session is not saved and goes on in memory: {}"},
    {"{} cannot be written ({}): nothing of this session will be saved."},
    {"{} It is left alone, and nothing of this session will be saved."},
    {"{} is no valid JSON, or is nested too deep."},
    {"{} The damaged session was kept as {}."},
    {"The text is not a Tilescope state: it is no valid JSON."},
    {"'{}' is no JSON object that could be put over the state."},
    {"A link would have {} bytes, of at most {}: the launch sheet or the breakpoints are too long; "
     "send the state as text instead (File, Copy state as text)."},
    {"The text is no link of Tilescope; one begins with \"tilescope:1.\"."},
    {"The link was made by a newer Tilescope (link {}, this one reads {}); get that version to "
     "open it."},
    {"The link is cut off or damaged; copy all of it."},
    {"The link is of {}, which is not in it: open that file (File, Open a kernel) and it is "
     "launched as there."},
};

}  // namespace

ToldList told_by_files() { return {kToldByFiles, {}}; }

}  // namespace tilescope
