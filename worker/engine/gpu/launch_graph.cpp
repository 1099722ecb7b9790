#include "worker/engine/gpu/launch_graph.h"

namespace tilescope::worker {

std::unique_ptr<LaunchGraph> LaunchGraph::capture(const Gpu& gpu, int count,
                                                  const std::function<void()>& enqueue) {
  const cuda::Functions& f = gpu.driver().call();
  const bool has_graphs = f.begin_capture && f.end_capture && f.graph_instantiate &&
                          f.graph_launch && f.graph_destroy && f.graph_exec_destroy;
  constexpr int kThisThreadAlone = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  if (!has_graphs || f.begin_capture(gpu.stream(), kThisThreadAlone) != cuda::kSuccess) {
    return nullptr;
  }
  cuda::Graph graph = nullptr;
  try {
    for (int i = 0; i < count; ++i) enqueue();
  } catch (...) {  // the stream must not stay in capture
    f.end_capture(gpu.stream(), &graph);
    if (graph) f.graph_destroy(graph);
    throw;
  }
  if (f.end_capture(gpu.stream(), &graph) != cuda::kSuccess || !graph) return nullptr;
  cuda::GraphExec executable = nullptr;
  const cuda::Result made = f.graph_instantiate(&executable, graph, 0);
  f.graph_destroy(graph);
  if (made != cuda::kSuccess) return nullptr;
  return std::unique_ptr<LaunchGraph>(new LaunchGraph(gpu, executable));
}

LaunchGraph::~LaunchGraph() {
  if (!gpu_.is_stuck()) gpu_.driver().call().graph_exec_destroy(executable_);
}

void LaunchGraph::enqueue() const {
  gpu_.driver().check(gpu_.driver().call().graph_launch(executable_, gpu_.stream()),
                      "to launch a graph");
}

}  // namespace tilescope::worker
