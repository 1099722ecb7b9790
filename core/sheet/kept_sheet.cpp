// Where sheets are kept.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/files/whole_file.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace fs = std::filesystem;
namespace {

/// 16 hexadecimal digits of a text (FNV-1a): two files of one name have sheets of their own.
std::string digits_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return fmt::format("{:016x}", hash);
}

bool is_there(const std::string& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

}  // namespace

void name_files(LaunchSheet& sheet, const std::function<std::string(const std::string&)>& whole) {
  for (std::string& text : sheet.args) {
    try {
      const ArgumentSpec spec = parse_spec(text);
      const auto* buffer = std::get_if<BufferSpec>(&spec);
      if (!buffer || buffer->fill != Fill::file) continue;
      text.replace(text.rfind(buffer->file), buffer->file.size(), whole(buffer->file));
    } catch (const SheetError&) {
    }
  }
  if (!sheet.expect) return;
  for (Expectation::File& f : sheet.expect->files) f.file = whole(f.file);
  if (sheet.expect->kernel && !sheet.expect->kernel->file.empty()) {
    sheet.expect->kernel->file = whole(sheet.expect->kernel->file);
  }
}

std::vector<std::string> leave_out_files(LaunchSheet& sheet,
                                         const std::function<bool(const std::string&)>& may_stay) {
  std::vector<std::string> left_out;
  const auto stays = [&](const std::string& file) {
    if (may_stay(file)) return true;
    left_out.push_back(file);
    return false;
  };
  for (std::string& text : sheet.args) {
    try {
      const ArgumentSpec spec = parse_spec(text);
      const auto* buffer = std::get_if<BufferSpec>(&spec);
      if (buffer && buffer->fill == Fill::file && !stays(buffer->file)) text.clear();
    } catch (const SheetError&) {  // it names no file that would be read
    }
  }
  if (!sheet.expect) return left_out;
  std::erase_if(sheet.expect->files, [&](const Expectation::File& f) { return !stays(f.file); });
  if (const auto& kernel = sheet.expect->kernel;
      kernel && !kernel->file.empty() && !stays(kernel->file)) {
    sheet.expect->kernel.reset();
  }
  if (sheet.expect->empty()) sheet.expect.reset();
  return left_out;
}

void name_files_in(LaunchSheet& sheet, const std::string& folder) {
  name_files(sheet, [&](const std::string& file) {
    return fs::path(file).is_absolute() ? file : (fs::path(folder) / file).string();
  });
}

SheetPlaces sheet_places(const std::string& kernel_file, const std::string& data_folder) {
  std::error_code error;
  fs::path file = fs::absolute(kernel_file, error);
  if (error) file = kernel_file;
  const std::string name = file.stem().string() + ".sheet.json";
  const std::string digits = digits_of(file.lexically_normal().string());
  return {(file.parent_path() / name).string(),
          data_folder.empty()
              ? ""
              : (fs::path(data_folder) / "sheets" / (digits + "-" + name)).string()};
}

SavedSheet save_sheet(const std::string& kernel_file, const std::string& data_folder,
                      const LaunchSheet& sheet) {
  const SheetPlaces places = sheet_places(kernel_file, data_folder);
  const std::string text = to_text(sheet);
  const std::string why_not = files::replace_file(places.beside, text);
  if (why_not.empty()) {
    // An older one in the data folder would otherwise be taken where this one is removed.
    std::error_code error;
    if (!places.in_data_folder.empty()) fs::remove(places.in_data_folder, error);
    return {places.beside, {}};
  }
  if (places.in_data_folder.empty()) return {{}, why_not};
  std::error_code error;
  fs::create_directories(fs::path(places.in_data_folder).parent_path(), error);
  const std::string nor = files::replace_file(places.in_data_folder, text);
  if (!nor.empty()) return {{}, why_not + " " + nor};
  return {places.in_data_folder, why_not + " The sheet is kept in " + places.in_data_folder + "."};
}

std::optional<LaunchSheet> saved_sheet(const std::string& kernel_file,
                                       const std::string& data_folder) {
  const SheetPlaces places = sheet_places(kernel_file, data_folder);
  // What was saved into the data folder was saved because the other could not be.
  for (const std::string& file : {places.in_data_folder, places.beside}) {
    if (!file.empty() && is_there(file)) return read_sheet(file);
  }
  return std::nullopt;
}

}  // namespace tilescope::sheet
