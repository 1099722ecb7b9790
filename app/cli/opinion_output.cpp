#include "app/cli/opinion_output.h"

#include <fmt/format.h>

#include "app/cli/worker_session.h"
#include "core/model/format.h"

namespace tilescope::cli {
namespace {

Json opinion_tile_json(const worker::OpinionTile& t) {
  return {{"block", {t.block_m, t.block_n, t.block_k}},
          {"warp", {t.warp_m, t.warp_n}},
          {"warps_k", t.warps_k},
          {"stages", t.stages},
          {"splits", t.splits},
          {"raster", t.group},
          {"us", t.us},
          {"rank_us", t.rank_us},
          {"levels",
           {{"l2", {{"read", t.l2_read}, {"hit_rate", t.l2_hit_rate}}},
            {"dram", {{"read", t.dram_read}, {"write", t.dram_write}}}}}};
}

void add_row(Table& table, const std::string& name, const worker::OpinionTile& t) {
  table.add({name, fmt::format("{}×{}×{}", t.block_m, t.block_n, t.block_k),
             fmt::format("{}×{}", t.warp_m, t.warp_n), std::to_string(t.stages),
             std::to_string(t.splits), std::to_string(t.group), "~" + model::time_text(t.us),
             "~" + model::time_text(t.rank_us), "~" + model::bytes_text(t.dram_read),
             "~" + model::bytes_text(t.l2_read)});
}

}  // namespace

worker::SecondOpinion ask_second_opinion(const RequestOptions& options, const Request& request,
                                         const std::string& gpu) {
  WorkerSession worker(options.kernel_dir);
  return worker.call<worker::calls::SecondOpinion>({request.message(), gpu});
}

Json second_opinion_json(const worker::SecondOpinion& opinion) {
  Json best = Json::array();
  for (const worker::OpinionTile& tile : opinion.best) best.push_back(opinion_tile_json(tile));
  return {{"library", opinion.library},
          {"gpu", opinion.gpu},
          {"measured", opinion.measured},
          {"tile", opinion.present ? opinion_tile_json(*opinion.present) : Json()},
          {"why_not", opinion.why_not.empty() ? Json() : Json(opinion.why_not)},
          {"best", std::move(best)}};
}

void print_second_opinion(const worker::SecondOpinion& opinion) {
  print(fmt::format("\n{} for an {}{}: its figures, not ours", opinion.library, opinion.gpu,
                    opinion.measured ? ", with its measurements of that" : ""));
  Table table({"", "block", "warp", "stages", "split K", "raster", "time", "ranked by", "DRAM read",
               "L2 → SM"},
              "lllrrrrrrr");
  if (opinion.present) add_row(table, "this tile", *opinion.present);
  int rank = 0;
  for (const worker::OpinionTile& tile : opinion.best) {
    add_row(table, ++rank == 1 ? "its best" : fmt::format("{}.", rank), tile);
  }
  table.print();
  if (!opinion.present) print("this tile: " + opinion.why_not);
}

}  // namespace tilescope::cli
