// Which tables a store in SQLite has, and whether a file has them.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "worker/engine/store/sqlite.h"

namespace tilescope::worker {

/// The file was written by a later version, whose tables are not known.
class NewerSchema : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes the tables of a new file. Throws NewerSchema, and a SqliteError that is damaged() where a
/// file has not the tables and columns of its version.
void make_tables(Database& database);

/// A table of rows, and no view, with these columns, none of which is made up as it is read.
bool has_columns(const Database& database, const std::string& table,
                 const std::vector<std::string>& columns);

}  // namespace tilescope::worker
