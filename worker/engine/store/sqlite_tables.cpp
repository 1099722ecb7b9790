#include "worker/engine/store/sqlite_tables.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "core/files/descriptor.h"
#include "kernels/registry.h"
#include "worker/engine/compile/hash.h"
#include "worker/engine/store/sqlite_schema.h"
#include "worker/messages/bounds.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;

TakeLine result_taker(Database& database, int64_t file) {
  return [&database, file](std::string_view line) {
    std::string why;
    if (const auto recording = read_recording(line, &why)) {
      put_result(database, *recording, line, file);
    }
    return why;
  };
}

TakeLine layer_taker(Database& database) {
  return [&database](std::string_view line) {
    std::string why;
    if (const auto layer = read_layer(line, &why)) put_layer(database, *layer, line);
    return why;
  };
}

TakeLine proof_taker(Database& database, int64_t file) {
  return [&database, file](std::string_view line) {
    std::string why;
    if (read_proof(line, &why)) {
      Statement(database, "INSERT INTO proofs(file, line) VALUES(?, ?)")
          .bind(file)
          .bind(line)
          .done();
    }
    return why;
  };
}

/// The lines of an older version's file that have not been taken, a piece after the other.
void take_lines(Database& database, const fs::path& path, const std::string& name, size_t most,
                const TakeLine& take, LeftOut& left_out) {
  int64_t done = 0;
  {
    Statement before(database, "SELECT bytes FROM taken WHERE name = ?");
    if (before.bind(name).step()) done = before.number(0);
  }
  std::error_code error;
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  if (error || size == done) return;
  const files::Descriptor file(path.string(), O_RDONLY);
  if (!file) return;
  if (size < done || done < 0) done = 0;  // another file by now
  std::string text;
  do {
    text.clear();
    if (file.read_from(static_cast<size_t>(done), kMostFileBytes, text) != 0) break;
    const size_t ended = text.rfind('\n') + 1;  // 0: no line ends
    each_line(std::string_view(text).substr(0, ended), most, take, left_out, done == 0 ? 1 : 0);
    done += static_cast<int64_t>(ended);
    const std::string_view last = std::string_view(text).substr(ended);
    if (text.size() == kMostFileBytes && ended == 0) {
      left_out.add(0, why_too_long(last, most));  // its rest is another such line
      done += static_cast<int64_t>(last.size());
    } else if (text.size() < kMostFileBytes && !last.empty() && last.size() <= most &&
               take(last).empty()) {
      done += static_cast<int64_t>(last.size());
    }  // else it was cut short, and its writer may begin anew behind it
  } while (text.size() == kMostFileBytes);
  Statement(database, "INSERT OR REPLACE INTO taken(name, bytes) VALUES(?, ?)")
      .bind(name)
      .bind(done)
      .done();
}

/// Of a file's bytes. What of it is left out depends on the ladder: a build with another one reads
/// the file anew.
std::string content_hash(std::string_view text) {
  Hash hash;
  hash.add_field(text);
  for (const KernelEntry& kernel : kernel_table()) {
    hash.add_field(kernel.info.id);
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& slider = kernel.sliders.slider[i];
      hash.add_field(kTileFields[static_cast<int>(slider.field)].name);
      for (int v = 0; v < slider.count; ++v) hash.add_field(std::to_string(slider.values[v]));
    }
  }
  return hash.hex();
}

std::vector<fs::path> older_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const bool is_file = it->is_regular_file(error) && !error;  // a pipe would be waited for
    if (is_file && it->path().extension() == ".jsonl") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Lines of a table from its first on; if the file is damaged in between, from its last on, too.
std::vector<std::string> readable_lines(Database& database, const std::string& from) {
  std::vector<std::string> first, last;
  for (const bool backwards : {false, true}) {
    std::vector<std::string>& lines = backwards ? last : first;
    try {
      Statement all(database,
                    "SELECT line FROM " + from + " ORDER BY id" + (backwards ? " DESC" : ""));
      while (all.step()) lines.emplace_back(all.text(0));
      if (!backwards) return first;
    } catch (const SqliteError&) {  // as far as it goes
    }
  }
  first.insert(first.end(), last.rbegin(), last.rend());
  return first;
}

std::set<std::string> lines_there(Database& database, const std::string& from) {
  std::set<std::string> lines;
  Statement all(database, "SELECT line FROM " + from);
  while (all.step()) lines.emplace(all.text(0));
  return lines;
}

}  // namespace

void put_result(Database& database, const Recording& recording, std::string_view line,
                int64_t file) {
  const StoredResult r = listed(recording);
  const Problem& p = r.request.problem;
  Statement insert(
      database,
      "INSERT INTO results(file, m, n, k, card, alpha, beta, bias, kernel, request, "
      "date, tflops, time_us, spread, library, library_tflops, wrong, arch, revision, "
      "source, line) VALUES(nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?)");
  insert.bind(file).bind(p.m).bind(p.n).bind(p.k).bind(r.card);
  insert.bind(static_cast<double>(p.alpha)).bind(static_cast<double>(p.beta)).bind(p.bias ? 1 : 0);
  insert.bind(r.request.kernel).bind(packed_request(r.request)).bind(r.date);
  insert.bind(r.tflops).bind(r.time_us).bind(r.spread).bind(r.library).bind(r.library_tflops);
  insert.bind(r.wrong ? 1 : 0).bind(r.arch).bind(r.revision).bind(r.source).bind(line).done();
}

std::string packed_request(const KernelRequest& request) {
  const Problem& p = request.problem;
  std::string words = std::to_string(request.sms);
  for (const ElementType type : {p.type_a, p.type_b, p.type_c})
    words += ' ', words += wire_name(type);
  for (const Order order : {p.order_a, p.order_b, p.order_c})
    words += ' ', words += wire_name(order);
  for (const long long leading : {p.lda, p.ldb, p.ldc}) words += ' ' + std::to_string(leading);
  for (const TileField& field : kTileFields) {
    const int value = get(request.tile, field.id);
    if (value != 0) words += std::string(" ") + field.name + "=" + std::to_string(value);
  }
  return words;
}

void unpack_request(std::string_view words, KernelRequest& request) {
  const auto next = [&words] {
    const size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    return word;
  };
  const auto number = [](std::string_view word, auto least, auto most) {
    decltype(most) value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < least || value > most) {
      throw std::invalid_argument("it holds a number that cannot be");
    }
    return value;
  };
  Problem& p = request.problem;
  request.sms = number(next(), 1, kMostSms);
  for (ElementType* type : {&p.type_a, &p.type_b, &p.type_c}) {
    *type = element_type_of(std::string(next()));
  }
  for (Order* order : {&p.order_a, &p.order_b, &p.order_c}) *order = order_of(std::string(next()));
  for (long long* leading : {&p.lda, &p.ldb, &p.ldc}) {
    *leading = number(next(), 0, kMaxLeadingDimension);
  }
  request.tile = {};
  while (!words.empty()) {
    const std::string_view word = next();
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto field =
        std::ranges::find_if(kTileFields, [&](const TileField& f) { return name == f.name; });
    if (equals == word.npos || field == std::end(kTileFields)) {
      throw std::invalid_argument("it holds a tile parameter that this version does not know");
    }
    set(request.tile, field->id, number(word.substr(equals + 1), 0, kMaxExtent));
  }
}

void put_layer(Database& database, const StoredLayer& layer, std::string_view line) {
  Statement(database, "INSERT INTO layers(card, line) VALUES(?, ?)")
      .bind(layer.kept.card)
      .bind(line)
      .done();
}

std::map<int64_t, PresentFile> take_assets(Database& database, const std::vector<AssetFile>& files,
                                           Notices& notices) {
  std::map<int64_t, PresentFile> present;
  int order = 0;
  for (const AssetFile& file : files) {
    std::string unread;
    const auto text = text_of_lines(file.path, &unread);
    if (!text) notices.add(unread);
    if (!text) continue;
    const std::string hash = content_hash(*text);
    LeftOut left_out;
    Transaction transaction(database);
    Statement(database, "INSERT OR IGNORE INTO files(hash, used) VALUES(?, '')").bind(hash).done();
    Statement row(database, "SELECT id, used, used = date('now') FROM files WHERE hash = ?");
    if (!row.bind(hash).step()) continue;
    const int64_t id = row.number(0);
    if (row.text(1).empty()) {
      const TakeLine take = file.proofs ? proof_taker(database, id) : result_taker(database, id);
      each_line(*text, kMostLineBytes, take, left_out);
    }
    if (row.number(2) == 0) {
      Statement(database, "UPDATE files SET used = date('now') WHERE id = ?").bind(id).done();
    }
    transaction.commit();
    notices.add(left_out.sentence(file.path));
    present.try_emplace(id, PresentFile{file.place, order++});
  }
  if (!files.empty()) database.run("DELETE FROM files WHERE used < date('now', '-90 days')");
  return present;
}

void take_older_files(Database& database, const std::string& folder, Notices& notices) {
  const auto take_all = [&](const fs::path& in, const std::string& prefix, size_t most,
                            const TakeLine& take) {
    for (const fs::path& path : older_files(in)) {
      LeftOut left_out;
      Transaction transaction(database);
      take_lines(database, path, prefix + path.filename().string(), most, take, left_out);
      transaction.commit();
      notices.add(left_out.sentence(path.string()));
    }
  };
  take_all(folder, "", kMostLineBytes, result_taker(database, 0));
  take_all(fs::path(folder) / "layers", "layers/", kMostLayerBytes, layer_taker(database));
}

int rescue(Database& database, const std::string& damaged) {
  int saved = 0;
  try {
    Database old(damaged, Database::Mode::read_alone);
    // What only looks like a table may be asked without an end.
    std::vector<std::string> results, layers;
    if (has_columns(old, "results", {"id", "file", "line"})) {
      results = readable_lines(old, "results NOT INDEXED WHERE file IS NULL");
    }
    if (has_columns(old, "layers", {"id", "line"})) {
      layers = readable_lines(old, "layers NOT INDEXED");
    }
    Transaction transaction(database);
    std::set<std::string> there = lines_there(database, "results WHERE file IS NULL");
    for (const std::string& line : results) {
      const auto recording = read_recording(line);
      if (!recording || !there.insert(line).second) continue;
      put_result(database, *recording, line, 0);
      ++saved;
    }
    there = lines_there(database, "layers");
    for (const std::string& line : layers) {
      const auto layer = read_layer(line);
      if (!layer || !there.insert(line).second) continue;
      put_layer(database, *layer, line);
      ++saved;
    }
    transaction.commit();
  } catch (const SqliteError&) {  // nothing of it can be read
  }
  return saved;
}

}  // namespace tilescope::worker
