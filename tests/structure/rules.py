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
    "cairo": ("cairo",),
    "image": ("stb_image",),
    "test": ("gtest/", "gmock/", "rapidcheck"),
    "dl": ("dlfcn.h", "link.h"),
}

POSIX = {"unistd.h", "fcntl.h", "signal.h", "poll.h", "pwd.h", "spawn.h", "dirent.h", "errno.h",
         "pthread.h", "sched.h", "termios.h", "ucontext.h", "time.h", "stdio.h", "stdlib.h",
         "string.h", "elf.h", "immintrin.h", "emmintrin.h", "smmintrin.h", "x86intrin.h", "cpuid.h"}

# (prefix, project folders, kinds); "std" is the C++ library and POSIX.
RULES = [
    ("core/layout/", ("core/layout/",), ()),
    ("core/model/", ("core/layout/", "core/model/"), ("std", "fmt")),
    # The registry is host code over the kernels; the kernels themselves are compiled by NVRTC.
    ("kernels/registry", ("core/layout/", "kernels/", "kernels_includes.h"), ("std",)),
    ("kernels/", ("core/layout/", "kernels/"), ()),
    ("emulator/", ("emulator/",), ("std",)),
    ("worker/", ("core/", "kernels/", "emulator/", "worker/"),
     ("std", "fmt", "json", "log", "uv", "sqlite", "cuda", "dl")),
    ("viz/scene/", ("core/", "kernels/", "viz/scene/"), ("std", "fmt")),
    ("viz/gl/", ("core/", "kernels/", "viz/scene/", "viz/gl/"), ("std", "fmt", "gl")),
    ("viz/vector/", ("core/", "kernels/", "viz/scene/", "viz/vector/"), ("std", "fmt", "cairo")),
    # The command line: no GL, no ImGui, no X11.
    ("app/cli/", ("core/", "kernels/", "emulator/emulator.h", "emulator/provenance.h", "worker/",
                  "viz/scene/", "viz/vector/", "app/cli/", "app/live/", "app/state/", "app/theme.h"),
     ("std", "fmt", "json", "log", "cli", "cairo", "dl")),
    # The state is a value: it can be tested without a window.
    ("app/state/", ("core/", "kernels/", "worker/", "viz/scene/", "app/state/", "presets_json.h"),
     ("std", "fmt", "json")),
    ("app/", ("core/", "kernels/", "worker/", "viz/", "app/", "more_panels.h"),
     ("std", "fmt", "json", "log", "cli", "sqlite", "imgui", "gl", "image", "dl")),
    ("tests/fixtures/", None, ("std", "fmt", "json", "imgui", "test")),
    ("tests/", None, None),
    ("bench/", None, None),
]

# A panel or a kernel must not reach into the worker's or the emulator's insides.
FORBIDDEN = [
    ("app/", "worker/engine/"), ("app/", "worker/process/"), ("app/", "emulator/isa/"),
]

MAX_LINES = 400   # a file has one concern; above this it is named in the list of warnings
HARD_LINES = 800  # above this the test fails
