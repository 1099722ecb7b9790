#include "worker/messages/second_opinion.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

constexpr std::pair<const char*, int OpinionTile::*> kParameters[] = {
    {"block_m", &OpinionTile::block_m}, {"block_n", &OpinionTile::block_n},
    {"block_k", &OpinionTile::block_k}, {"warp_m", &OpinionTile::warp_m},
    {"warp_n", &OpinionTile::warp_n},   {"warps_k", &OpinionTile::warps_k},
    {"stages", &OpinionTile::stages},   {"splits", &OpinionTile::splits},
    {"group", &OpinionTile::group}};
constexpr std::pair<const char*, double OpinionTile::*> kFigures[] = {
    {"us", &OpinionTile::us},
    {"rank_us", &OpinionTile::rank_us},
    {"dram_read", &OpinionTile::dram_read},
    {"dram_write", &OpinionTile::dram_write},
    {"l2_read", &OpinionTile::l2_read},
    {"l2_hit_rate", &OpinionTile::l2_hit_rate}};

}  // namespace

void to_json(json& j, const OpinionTile& t) {
  j = json::object();
  for (const auto& [name, field] : kParameters) j[name] = t.*field;
  for (const auto& [name, field] : kFigures) j[name] = t.*field;
}

void from_json(const json& j, OpinionTile& t) {
  for (const auto& [name, field] : kParameters) j.at(name).get_to(t.*field);
  for (const auto& [name, field] : kFigures) j.at(name).get_to(t.*field);
}

void to_json(json& j, const SecondOpinion& o) {
  j = {{"library", o.library},
       {"gpu", o.gpu},
       {"measured", o.measured},
       {"best", o.best},
       {"present", o.present ? json(*o.present) : json()},
       {"why_not", o.why_not}};
}

void from_json(const json& j, SecondOpinion& o) {
  j.at("library").get_to(o.library);
  j.at("gpu").get_to(o.gpu);
  j.at("measured").get_to(o.measured);
  j.at("best").get_to(o.best);
  o.present.reset();
  if (const json& present = j.at("present"); !present.is_null()) {
    o.present = present.get<OpinionTile>();
  }
  j.at("why_not").get_to(o.why_not);
}

}  // namespace tilescope::worker
