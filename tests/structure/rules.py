"""Who may include whom: the table of docs/architecture.md, as data.

A folder's rule names the project folders it may include (prefixes) and the kinds of system headers.
The first rule whose prefix matches a file's path is its rule, so special cases stand first.
"""

# What a system header is. Anything not named here counts as "other" and must be added on purpose.
KINDS = {
    "imgui": ("imgui", "implot", "hello_imgui", "ImGuiColorTextEdit", "imcmd", "misc/cpp/imgui",
              "imgui_md", "immapp"),
    "gl": ("GL/", "GLES3/", "GLFW/", "glad/", "epoxy/", "hello_imgui/hello_imgui_include_opengl.h"),
    "cuda": ("cuda", "nvrtc", "nvml", "cupti", "cublas", "nvMatmulHeuristics", "nvPTXCompiler",
             "tilescope_cuda_paths.h"),
    "fmt": ("fmt/",),
    "json": ("nlohmann/",),
    "log": ("spdlog/",),
    "cli": ("CLI/",),
    "uv": ("uv.h",),
    "sqlite": ("sqlite3.h",),
    "zlib": ("zlib.h",),
    "zstd": ("zstd.h",),
    "browser": ("emscripten",),
    "cairo": ("cairo", "fontconfig/"),
    "image": ("stb_image", "imstb_truetype.h"),
    "markdown": ("md4c",),
    "webp": ("webp/",),
    "test": ("gtest/", "gmock/", "rapidcheck"),
    "dl": ("dlfcn.h", "link.h"),
}

POSIX = {"unistd.h", "cxxabi.h", "execinfo.h", "malloc.h", "fcntl.h", "signal.h", "poll.h", "pwd.h", "spawn.h", "dirent.h", "errno.h",
         "pthread.h", "sched.h", "termios.h", "ucontext.h", "time.h", "stdio.h", "stdlib.h",
         "string.h", "elf.h", "immintrin.h", "wasm_simd128.h", "emmintrin.h", "smmintrin.h", "x86intrin.h", "cpuid.h"}

# Each room of emulator/ may include the public headers, itself and the rooms below it.
_PUBLIC = ("emulator/emulator.h", "emulator/fault.h", "emulator/provenance.h", "emulator/stepper.h",
           "emulator/arithmetic.h", "emulator/tensor_map.h")


def _emulator(*rooms):
    return _PUBLIC + tuple(f"emulator/{room}/" for room in rooms)


_ENGINE = ("core/", "kernels/", "emulator/emulator.h", "emulator/provenance.h",
           "emulator/arithmetic.h", "emulator/tensor_map.h",
           "emulator/stepper.h", "worker/messages/",
           "worker/service.h", "worker/engine/error.h", "worker/engine/parallel.h",
           "worker/engine/shared_library.h", "worker/engine/cuda_folders.h")


def _engine(*rooms):
    return _ENGINE + tuple(f"worker/engine/{room}/" for room in rooms)


_ENGINE_KINDS = ("std", "fmt", "json", "log", "dl")
_PROCESS_KINDS = ("std", "fmt", "json", "log", "uv", "dl")
_SCENE = ("core/", "kernels/") + tuple(
    f"viz/scene/{name}.h" for name in ("access_scene", "builder", "cells", "curve_scene", "l2_scene", "ladder_scene", "landscape_scene",
                                       "palette", "parts", "roofline_scene", "scene", "selection",
                                       "shared_access", "standing", "waterfall_scene"))
_SCENE_KINDS = ("std", "fmt")

_STATE = ("core/", "kernels/", "worker/messages/", "worker/client/", "viz/scene/", "app/common/",
          "app/state/")
_STATE_KINDS = ("std", "fmt", "json")
# The window's frame knows features by their list alone.
_SHELL = _STATE + ("viz/", "app/shell/", "app/live/", "app/kit/", "app/features/feature_list.h",
                   "app/panel.h", "app/window_command.h", "app/theme.h", "app/app_model.h")
_SHELL_KINDS = ("std", "fmt", "json", "log", "cli", "imgui", "gl", "image", "dl")

# (prefix, project folders, kinds); "std" is the C++ library and POSIX. A * in both stands for the
# same folder.
RULES = [
    ("core/layout/", ("core/layout/",), ()),
    ("core/files/", ("core/files/",), ("std", "json", "zlib")),
    ("core/language/", ("core/language/", "languages_text.h"), ("std", "fmt", "json")),
    ("core/programs/", ("core/programs/",), ("std",)),
    # Sheets are for any kernel, of which the model knows nothing; of it they have how numbers are written.
    ("core/sheet/", ("core/sheet/", "core/files/", "core/model/format.h"), ("std", "fmt", "json")),
    # Instructions are layouts with names; of the model they share those names, and how text is written.
    ("core/instructions/",
     ("core/layout/", "core/instructions/", "core/model/names.h", "core/model/format.h"),
     ("std", "fmt", "json")),
    ("core/model/", ("core/layout/", "core/language/", "core/model/"), ("std", "fmt")),
    ("core/workload/", ("core/layout/", "core/model/", "core/workload/"), ("std", "fmt")),
    # The registry is host code over the kernels; the kernels themselves are compiled by NVRTC.
    ("kernels/registry", ("core/layout/", "kernels/", "kernels_includes.h"), ("std",)),
    ("kernels/", ("core/layout/", "kernels/"), ()),
    ("emulator/ptx/", _emulator("ptx"), ("std",)),
    ("emulator/compile/", _emulator("ptx", "compile"), ("std",)),
    ("emulator/machine/", _emulator("ptx", "compile", "machine"), ("std",)),
    ("emulator/isa/", _emulator("ptx", "compile", "machine", "isa"), ("std",)),
    ("emulator/checks/", _emulator("ptx", "compile", "machine", "checks"), ("std",)),
    ("emulator/provenance/", _emulator("ptx", "compile", "machine", "provenance"), ("std",)),
    ("emulator/run/", _emulator("ptx", "compile", "machine", "isa", "checks", "provenance", "run"),
     ("std",)),
    ("emulator/step/", _emulator("ptx", "compile", "machine", "isa", "checks", "provenance", "run",
                                 "step"), ("std",)),
    ("emulator/", _PUBLIC, ("std",)),
    ("worker/messages/", ("core/layout/", "core/sheet/", "core/workload/", "core/model/names.h", "core/model/format.h",
                          "emulator/provenance.h", "emulator/stepper.h", "worker/messages/"),
     ("std", "fmt", "json")),
    ("worker/protocol/", ("core/files/json_file.h", "core/programs/search_path.h", "core/layout/", "worker/messages/", "worker/service.h",
                          "worker/protocol/"), _PROCESS_KINDS),
    ("worker/client/", ("core/layout/", "worker/messages/", "worker/service.h",
                        "worker/method_table.h", "worker/protocol/", "worker/client/"), _PROCESS_KINDS),
    # No CUDA here, and nothing of what children do: the supervisor outlives them all.
    ("worker/process/", ("core/files/cache_folder.h", "core/layout/", "worker/messages/", "worker/service.h",
                         "worker/worker_main.h", "worker/protocol/", "worker/client/",
                         "worker/process/"), _PROCESS_KINDS),
    ("worker/engine/compile/", _engine("compile"), _ENGINE_KINDS + ("cuda",)),
    ("worker/engine/emulate/", _engine("compile", "emulate"), _ENGINE_KINDS),
    # NVIDIA's programs as children: nothing here touches CUDA, since it forks.
    ("worker/engine/tools/", _engine("tools"), _ENGINE_KINDS),
    ("worker/engine/counters/", _engine("tools", "counters"), _ENGINE_KINDS),
    # Of emulate/ the signature of an entry.
    ("worker/engine/own/", _engine("compile", "emulate", "tools", "own"), _ENGINE_KINDS),
    ("worker/engine/sass/", _engine("tools", "sass"), _ENGINE_KINDS + ("cuda",)),
    ("worker/engine/heuristics/", _engine("heuristics"), _ENGINE_KINDS + ("cuda",)),
    ("worker/engine/trace/", _engine("compile", "emulate", "trace"), _ENGINE_KINDS),
    ("worker/engine/step/", _engine("compile", "emulate", "step"), _ENGINE_KINDS),
    ("worker/engine/access/", _engine("compile", "emulate", "access"), _ENGINE_KINDS),
    # Of compile/ the store asks whether a kernel's text is still the one that was measured.
    ("worker/engine/store/", _engine("compile", "store"), _ENGINE_KINDS + ("sqlite",)),
    # Of emulate/ the card needs the operands and the reference, as the emulator does.
    ("worker/engine/gpu/", _engine("compile", "emulate", "gpu"), _ENGINE_KINDS + ("cuda",)),
    ("worker/engine/probe/", _engine("compile", "emulate", "gpu", "probe"), _ENGINE_KINDS),
    # A layer's steps on either, in turn.
    ("worker/engine/layer/", _engine("compile", "emulate", "gpu", "layer"), _ENGINE_KINDS + ("cuda",)),
    # The tables of methods stand above all rooms.
    # What every room of the engine stands on.
    ("worker/engine/error.h", ("worker/service.h",), ("std",)),
    ("worker/engine/parallel.h", (), ("std",)),
    ("worker/engine/shared_library", ("worker/engine/shared_library.h",), ("std", "dl")),
    ("worker/engine/cuda_folders", ("worker/engine/cuda_folders.h", "worker/engine/shared_library.h"),
     ("std", "cuda")),
    ("worker/engine/", _engine("compile", "emulate", "access", "trace", "step", "gpu", "probe", "tools",
                                "counters", "sass", "heuristics", "layer", "own", "store") + ("worker/engine/methods.h",),
     _ENGINE_KINDS),
    ("worker/", ("core/layout/", "worker/messages/", "worker/service.h", "worker/method_table.h"),
     ("std", "json")),
    ("viz/scene/tiling/", _SCENE + ("viz/scene/tiling/", "viz/scene/timeline/timeline_scene.h"),
     _SCENE_KINDS),
    ("viz/scene/fragment/", _SCENE + ("viz/scene/fragment/",), _SCENE_KINDS),
    ("viz/scene/timeline/", _SCENE + ("viz/scene/timeline/",), _SCENE_KINDS),
    ("viz/scene/layer/", _SCENE + ("viz/scene/layer/",), _SCENE_KINDS),
    ("viz/scene/", _SCENE, _SCENE_KINDS),
    ("viz/gl/", ("core/", "kernels/", "viz/scene/", "viz/gl/"), ("std", "fmt", "gl")),
    ("viz/film/", ("core/files/", "core/programs/", "viz/film/"), ("std", "fmt", "webp")),
    ("viz/vector/", ("core/", "kernels/", "viz/scene/", "viz/vector/"), ("std", "fmt", "cairo", "zlib")),
    # The command line: no GL, no ImGui, no X11, nothing of the window.
    ("app/cli/", ("core/", "kernels/", "emulator/emulator.h", "emulator/arithmetic.h", "emulator/provenance.h", "worker/",
                  "viz/scene/", "viz/film/film_endings.h", "app/cli/", "app/common/"),
     ("std", "fmt", "json", "log", "cli", "dl")),
    # What both programs need of the app.
    ("app/common/", ("core/", "kernels/", "worker/messages/", "app/common/", "documents_text.h"), ("std", "fmt", "json")),
    # The state is a value: it can be tested without a window, and knows nobody who asks a worker.
    ("app/state/", _STATE + ("presets_json.h",), _STATE_KINDS),
    ("app/live/", _STATE + ("app/live/",), _STATE_KINDS),
    ("app/features/feature_list.h", (), ()),
    ("app/features/features.cpp", ("core/language/language.h", "app/state/feature.h", "app/features/feature_list.h"), ("std",)),
    # A feature: its own folder, the core and the kit; never another feature, nor the shell. ImGui
    # stands in its panels/ alone.
    ("app/features/*/panels/", _STATE + ("app/live/asker.h", "app/live/beside.h", "app/live/folder_watch.h", "app/live/call_group.h", "app/panel.h",
                                         "app/window_command.h", "app/theme.h", "app/kit/", "viz/gl/",
                                         "viz/vector/", "app/features/*/"),
     _STATE_KINDS + ("imgui",)),
    ("app/features/*/", _STATE + ("app/live/asker.h", "app/live/beside.h", "app/live/folder_watch.h", "app/live/call_group.h", "app/features/*/",
                                  "examples_text.h", "lessons_text.h"),
     _STATE_KINDS),
    # Widgets of the core's state; and those that know none.
    ("app/kit/core/", _STATE + ("app/kit/", "app/panel.h", "app/window_command.h", "app/theme.h"),
     _STATE_KINDS + ("imgui",)),
    ("app/kit/", ("core/", "viz/", "app/common/glossary.h", "app/panel.h", "app/window_command.h", "app/theme.h", "app/kit/"),
     ("std", "fmt", "imgui", "gl")),
    ("app/shell/", _SHELL, _SHELL_KINDS),
    # What a panel is, below kit and features; the model that puts all together above them.
    ("app/theme.h", ("viz/scene/palette.h",), ()),
    # tilescope-draw's, which has no shell to speak of: it plays what a feature has.
    ("app/draw/", _SHELL + ("app/draw/", "app/features/lessons/"), _SHELL_KINDS + ("markdown",)),
    ("app/window_command.h", (), ("std",)),
    ("app/panel.h", ("core/layout/", "app/window_command.h", "app/theme.h"), ("std", "json", "imgui")),
    ("app/app_model.h", ("app/window_command.h", "app/state/status_item.h"), ("std",)),
    ("app/", _SHELL, _SHELL_KINDS),
    # The page: what stands there for processes, compilers, files and OpenGL, each in its seam's words.
    ("page/compat/", (), ("std",)),
    ("page/glfw/", (), ("gl", "browser")),
    ("page/pack/", ("core/", "kernels/", "worker/", "page/pack/"),
     ("std", "fmt", "json", "cli", "zstd")),
    # What window and engine of a page say to each other beside the worker's calls.
    ("page/calls/", ("core/model/", "worker/messages/", "page/calls/"), ("std", "json")),
    ("page/standins/", ("core/", "kernels/", "worker/", "page/calls/", "page/pack/", "page/standins/"),
     ("std", "fmt", "json", "browser")),
    ("page/engine/", ("worker/protocol/", "page/calls/", "page/pack/pack.h", "page/standins/"),
     ("std", "json", "browser")),
    ("page/client/", ("core/files/", "worker/messages/", "worker/protocol/", "worker/client/", "page/calls/",
                      "page/client/"),
     ("std", "json", "browser")),
    ("page/state/", _STATE + ("app/live/", "page/calls/"), _STATE_KINDS + ("browser",)),
    ("page/vector/", ("core/files/", "viz/scene/", "viz/vector/", "page/vector/"), ("std", "image")),
    ("page/window/", _SHELL + ("page/window/", "app/features/own/panels/file_choice.h"), _SHELL_KINDS + ("browser",)),
    ("tests/fixtures/", None, ("std", "fmt", "json", "imgui", "test")),
    ("tests/", None, None),
    ("bench/", None, None),
]

# python/ is what users import: (prefix, packages that are not of Python itself). It knows the programs
# by what they answer, and NumPy where arrays are asked for; imports of itself are relative.
PYTHON_VERSION = (3, 9)  # the oldest that it runs with: its syntax
PYTHON_RULES = [
    ("python/tilescope/arrays.py", ("numpy",)),
    ("python/", ()),
]

# A panel or a kernel must not reach into the worker's or the emulator's insides.
FORBIDDEN = [
    ("app/", "worker/engine/"), ("app/", "worker/process/"), ("app/", "worker/protocol/"),
] + [("app/", f"emulator/{room}/") for room in
     ("ptx", "compile", "machine", "isa", "checks", "provenance", "run")]

# Files are read whole, replaced, set aside and locked by core/files alone; what streams buffers of
# any size, or reads what the kernel tells of a process, is named here.
FILE_WORDS = ("ifstream", "ofstream", "::rename(", "::fsync(", "::flock(", "::mkstemp(")
FILE_FOLDERS = ("core/", "emulator/", "worker/", "viz/", "app/")
STREAMS = {"app/cli/emulate_ptx.cpp", "worker/engine/emulate/emulated_launch.cpp",
           "worker/engine/emulate/memory_limit.cpp", "worker/engine/emulate/run_launch.cpp",
           "worker/engine/emulate/sheet_buffers.cpp"}

MAX_FUNCTION = 100  # lines of a function, from its name to its last brace
MAX_POSITIONAL = 6  # values of a struct's list whose members are not named

# Names of files that comments speak of and that are in no checkout.
FILES_ELSEWHERE = {"cuda.h", "cuda_fp16.h", "tilescope_cuda_paths.h", "implot_items.cpp"}
# Files that are not there yet although comments speak of them.
NOT_YET: set = set()
# What speaks of files of other trees: what was, and trees that are made to be wrong.
SPEAKS_OF_OTHERS = {"CHANGELOG.md", "tests/structure/self_test.py"}

# What is still longer, "file: name", and lists that are still positional, files: each is to be
# mended, and one that is mended or gone is to be struck out here.
LONG_FUNCTIONS: set = set()
POSITIONAL: set = set()

# Tests that mean every kernel loop over kernel_table(); these have named scenes.
KERNEL_LISTS = {"tests/viz/golden_test.cpp", "tests/viz/example_states.h"}

# Who asks a plan which arithmetic it has (KernelPlan::math()), how often, and why: for words, for
# rates (what a card or a tolerance has of each), or as a gate (what is offered for the one alone).
# Counts, extents and places are asked of core/layout/hierarchy.h, and parts of a plan by a switch.
ARITHMETIC_FREE = ("core/layout/", "kernels/", "tests/")
ARITHMETIC = {
    "app/features/fragment/panels/fragment_panel.cpp": (
        2, "gate: an instruction of the list; phases of a tensor core's loads"),
    "app/features/second_opinion/opinion.cpp": (1, "gate: nvMatmulHeuristics knows one alone"),
    "app/features/tiling/panels/tiling_panel.cpp": (1, "word: mma or thread"),
    "app/features/timeline/panels/timeline_panel.cpp": (1, "word: mma or fma"),
    "app/state/hover_traffic.cpp": (1, "word: of an mma"),
    "app/state/verifying.cpp": (1, "rate: how much is verified unasked"),
    "bench/second_opinion.cpp": (1, "gate: as the opinion"),
    "core/model/prediction.cpp": (1, "word: which units"),
    "core/model/roofs.cpp": (1, "rate: the card's peak"),
    "core/model/sm_time.cpp": (1, "rate: products a clock"),
    "core/model/verification_order.cpp": (1, "rate: products a call verifies"),
    "viz/scene/fragment/fragment_scene.cpp": (2, "gate: formulas of an instruction; word: its tab"),
    "viz/scene/fragment/fragment_shared.cpp": (2, "word: floats; gate: swizzles compared"),
    "viz/scene/tiling/tiling_scene.cpp": (1, "word: mma or thread"),
    "worker/engine/emulate/verify.cpp": (1, "rate: tolerance"),
    "worker/engine/heuristics/matmul_heuristics.cpp": (1, "gate: it knows one alone"),
    "worker/engine/trace/trace.cpp": (1, "gate: fma are events where there is no mma"),
}

# Kinds of a plan's parts: whoever reads one names all of them, so that a new one is seen.
PART_KINDS = ("MmaKind", "CopyKind", "LoadKind", "WorkKind", "EpilogueKind", "SyncKind",
              "RegionKind", "Phase", "Swizzle", "Level")

MAX_LINES = 400   # a file has one concern; above this it is named in the list of warnings
HARD_LINES = 800  # above this the test fails
