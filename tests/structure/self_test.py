"""check_structure.py --self-test: a tree in which each thing that it looks for is wrong once."""
import os
import tempfile

import check_structure
from rules import (HARD_LINES, LONG_FUNCTIONS, MAX_FUNCTION, NOT_YET, POSITIONAL)

LONG = "  int a = 0;\n" * MAX_FUNCTION
RIGHT = {  # what must not be found
    "kernels/01_a.cuh": 'KernelInfo info() { return float_info(1, "a", "A", "one thing"); }\n',
    "kernels/02_b.cuh": 'KernelInfo info() { info.id = "b"; return info; }\n',
    "tests/kernels.cpp": 'f("a", 1);\ng("b", "c");\n{{"a", 1}, {"c", 2}};\n',
    "core/model/twice.h": "\n",
    "viz/scene/known.h": "\n",
    "core/layout/ring_b.h": '#include "core/layout/ring_a.h"\n',
    "core/workload/down.h": '#include "core/model/twice.h"\n',
    # Paths from the root, beside the file, of a folder, a stem and a pattern; what is made, what
    # nobody knows yet, what stands for others, and what is no path.
    "core/model/ways.cpp": "// core/model/twice.h, twice.h, core/model/, core/model/twice, core/*.h\n"
                           "// build/release/bin/a, docs/later.md, kernels/NN_name.cuh, a/b, and/or\n"
                           'const char* a = "core/model/gone.h";\n',
    "worker/right.cpp": "namespace n {\nclass A {\n" + LONG + "};\nvoid f() { g({1, 2, 3, 4, 5, "
                        "6, 7}); }\n}\n" + LONG,
    "worker/named.cpp": 'A a{.b = 1, .c = "x", .d = 3, .e = 4, .f = 5, .g = 6, .h = true};\n',
    "worker/list.cpp": 'A a{"a", "b", "c", name, call(1), "f", {}, "h"};\n',
    "viz/scene/s.cpp": "switch (a) {\n case Level::cta:\n  break;\n}\n"
                       "switch (b) {\n case Color::red:\n default:\n  break;\n}\n",
    "core/layout/plan.h": "return math() == Math::mma;\n",
    "tests/r.cpp": 'call({"a", "d"});\nTEST("a");\n',
    "tests/built/CMakeLists.txt": "t(SOURCES known_test.cpp)\n",
    "tests/built/known_test.cpp": "\n",
    "tests/globbed/CMakeLists.txt": "file(GLOB all CONFIGURE_DEPENDS ${D}/*_test.cpp)\n",
    "tests/globbed/any_test.cpp": "\n",
    "python/tilescope/arrays.py": "from __future__ import annotations\nimport numpy as np\n",
    "python/tilescope/c.py": "import os.path\nfrom . import arrays\nfrom .a import b\n",
    "core/model/own.h": "#pragma once\n",
    "core/model/own.cpp": '#include "core/model/own.h"\n#include <map>\n',
}


def self_test():
    cases = {
        "core/layout/a.h": ("#include <vector>\n", "core/layout/ may not include <vector>"),
        "core/model/a.cpp": ('#include "viz/scene/b.h"\n', "core/model/ may not include viz"),
        "emulator/a.cpp": ('#include "core/layout/a.h"\n', "emulator/ may not include core"),
        "viz/scene/c.h": ("#include <GL/gl.h>\n", "viz/scene/ may not include <GL/gl.h>"),
        "app/shell/a.cpp": ("#include <cuda.h>\n", "app/shell/ may not include <cuda.h>"),
        "app/cli/a.cpp": ("#include <imgui.h>\n", "app/cli/ may not include <imgui.h>"),
        "app/state/a.cpp": ("#include <imgui.h>\n", "app/state/ may not include <imgui.h>"),
        "app/state/b.cpp": ('#include "app/features/l2/b.h"\n', "app/state/ may not include app/f"),
        "app/features/l2/a.cpp": ('#include "app/features/tune/b.h"\n', "may not include app/f"),
        "app/features/l2/b.cpp": ("#include <imgui.h>\n", "may not include <imgui.h>"),
        "app/features/l2/panels/a.cpp": ('#include "app/shell/b.h"\n', "may not include app/shell"),
        "tools/a.sh": ("cp /" + "root/x y\n", "one machine"),
        "tools/b.sh": ("pip --" + "index" + "-url x\n", "registry's host"),
        "worker/long.cpp": ("\n" * HARD_LINES, "split it by concern"),
        "worker/b.cpp": ('#include <map>\n#include "worker/b.h"\n', "before worker/b.h"),
        "worker/f.cpp": ("namespace n {\nA::A(int b) : b_{b}, c_(1) {\n" + LONG + "}\n}\n",
                         "A has 102 lines"),
        "worker/g.cpp": ("const auto g = [](int a) {\n" + LONG + "};\n", "has 102 lines"),
        "worker/p.cpp": ('A a{1, "x;{", 3, 4, 5, 6, 7};\n', "7 values"),
        "worker/mended.cpp": ("\n", "is mended"),
        "kernels/03_two.cuh": ('{.id = "two"}, {.id = "too"}\n', "gives 2 ids"),
        "kernels/04_none.cuh": ("\n", "gives 0 ids"),
        "tests/built/lost_test.cpp": ("\n", "is built by nothing"),
        "app/state/c.cpp": ("std::ifstream in(file);\n", "outside of core/files"),
        "viz/scene/d.cpp": ("switch (k) {\n case CopyKind::none: {\n }\n default:\n}\n",
                            "switch over CopyKind"),
        "viz/scene/m.cpp": ("const bool mma = plan.math() == Math::mma;\n", "asks a plan for math() 1"),
        "core/model/roofs.cpp": ("double peak() { return 1; }\n", "known: 1 (rate"),
        "tests/f.cpp": ('{{"a", 1}, {.n = 2, .name = "b"}}\n', "a list of kernels"),
        "tests/f.py": ('for kernel in ["b", "a"]:\n', "a list of kernels"),
        "viz/scene/twice.h": ("\n", "is named as core/model/twice.h is"),
        "core/model/way.cpp": ("// As in core/model/lost.h.\n", "no core/model/lost.h"),
        "core/model/name.cpp": ("int a; /* see lost.cpp */\n", "no lost.cpp"),
        "docs/way.md": ("The table of\n`core/model/lost`.\n", "no core/model/lost"),
        "tools/way.sh": ("ls # of tools/lost/\n", "no tools/lost/"),
        "core/layout/ring_a.h": ('#include "core/layout/ring_b.h"\n', "includes itself"),
        "core/model/up.cpp": ('#include "core/workload/down.h"\n', "may not include core/workload"),
        "core/model/": (None, "core/model/ → core/workload/ → core/model/"),
        "python/tilescope/a.py": ("import json\nimport numpy\n", "may not import numpy"),
        "python/tilescope/b.py": ("match a:\n  case 1: pass\n", "for Python 3.9"),
        "tests/e.cpp": ('for (auto id : {"a", "b"}) f(id);\n', "a list of kernels"),
    }
    for known in (LONG_FUNCTIONS, NOT_YET, POSITIONAL):
        known.clear()  # none of them is in this tree
    LONG_FUNCTIONS.add("worker/mended.cpp: f")
    NOT_YET.add("docs/later.md")
    files = {path: text for path, (text, _) in cases.items() if text} | RIGHT | {"worker/b.h": "\n"}
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        problems, _ = check_structure.check(root)
    missing = [path for path, (_, expected) in cases.items()
               if not any(p.startswith(path) and expected in p for p in problems)]
    for path in missing:
        print(f"self-test: {path} was not found to be wrong")
    extra = [p for p in problems if p.split(":")[0] not in cases]
    for line in extra:
        print(f"self-test: {line}, although it is not")
    return 1 if missing or extra else 0
