// Reading the members of a sheet's document: each fails with the field, its value and the limit.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "core/sheet/signature.h"

namespace tilescope::sheet::members {

/// A value as a sentence has it, shortened.
std::string said(const nlohmann::json& value);
uint64_t whole(const nlohmann::json& value, const std::string& field, uint64_t low, uint64_t high);
std::string text_field(const nlohmann::json& value, const std::string& field);
Extent extent_of(const nlohmann::json& value, const std::string& field, const Extent& most);
/// Refuses a member that nobody would read: it is a misspelt one.
void only(const nlohmann::json& object, const std::string& field,
          std::initializer_list<const char*> known);
int argument_number(const nlohmann::json& value, const std::string& field, size_t arguments);

}  // namespace tilescope::sheet::members
