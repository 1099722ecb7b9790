"""import tilescope, beside the command line: the same answers, and errors as exceptions.

api_test.py [unittest's options]; $TILESCOPE_CLI names the program.
"""
import json
import os
import re
import subprocess
import sys
import unittest
from xml.etree import ElementTree

import tilescope as ts

MMA = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"


def command_line(*arguments):
    ran = subprocess.run([ts.program(), *arguments, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout)


class Documents(unittest.TestCase):
    def test_the_ladder_is_the_programs(self):
        said = command_line("kernels")
        self.assertEqual([k.id for k in ts.kernels()], [k["id"] for k in said])
        first = ts.kernels()[0]
        self.assertEqual([s._asdict() for s in first.sliders], said[0]["sliders"])
        self.assertIn(first.title, ts.kernels()._repr_html_())

    def test_every_kernel_has_a_model_that_adds_up(self):
        for kernel in ts.kernels():
            model = ts.model(kernel.id, 512)
            self.assertAlmostEqual(sum(model.parts_us.values()) / model.us, 1, places=6)
        said = command_line("model", "--kernel", model.kernel, "--size", "512")
        said["l2_simulated"]["simulation_ms"] = model.document["l2_simulated"]["simulation_ms"]
        self.assertEqual(model.document, said)

    def test_members_become_options(self):
        g = ts.Gemm("mma_sync", (64, 128, 256), tile={"block_m": 64}, layout="TN", alpha=2, beta=-1,
                    c="col", types=("f16", "f16", "f32"), bias=True)
        asked = g.message()
        problem = asked["problem"]
        self.assertEqual((problem["m"], problem["n"], problem["k"]), (64, 128, 256))
        self.assertEqual((problem["alpha"], problem["beta"], problem["bias"]), (2, -1, True))
        self.assertEqual(problem["order_c"], "column_major")
        self.assertEqual(asked["tile"]["block_m"], 64)
        self.assertEqual(g.but(size=64, tile={"block_n": 64}).tile, {"block_m": 64, "block_n": 64})
        with self.assertRaises(TypeError):
            ts.model("mma_sync", 64, blok_m=1)

    def test_a_wrong_request_is_the_programs_sentence(self):
        with self.assertRaises(ts.BadRequest) as raised:
            ts.model("mma_sink", 64)
        self.assertEqual(raised.exception.code, 2)
        self.assertIn("there is no 'mma_sink'; choose", str(raised.exception))
        self.assertIsInstance(raised.exception, ValueError)
        with self.assertRaises(ts.BadRequest) as raised:
            ts.map_of("mma.sync.m16n8k17")
        self.assertIn("the nearest", str(raised.exception))
        with self.assertRaisesRegex(ts.BadRequest, "no program takes such"):
            ts.map_of("mma\0")
        with self.assertRaises(ts.Missing) as raised:
            ts.bench("naive", 64, device="cuda:77")
        self.assertEqual(raised.exception.code, 3)

    def test_a_program_that_is_not_there_is_missing(self):
        before = os.environ["TILESCOPE_CLI"]
        os.environ["TILESCOPE_CLI"] = "/nowhere/tilescope-cli"
        try:
            with self.assertRaises(ts.Missing) as raised:
                ts.kernels()
        finally:
            os.environ["TILESCOPE_CLI"] = before
        self.assertIn("/nowhere/tilescope-cli", str(raised.exception))

    def test_commands_and_version_are_asked_for(self):
        self.assertIn("emulate", ts.commands())
        self.assertRegex(ts.version(), r"^\d+\.\d+\.\d+$")
        self.assertTrue(all(part.fix for part in ts.doctor() if part.state == "missing"))


class Maps(unittest.TestCase):
    def test_a_map_and_who_owns_an_element(self):
        said = command_line("fragments", "--atom", MMA)
        found = ts.map_of(MMA)
        self.assertEqual(found.document, said)
        for name in "ABC":
            array = found[name].array()
            self.assertEqual(array.tolist(), said["operands"][name]["map"])
            owners = found[name].owners()
            rows, cols = found[name].rows, found[name].cols
            self.assertEqual(owners.shape, (rows, cols, 2))
            for row in range(rows):
                for col in range(cols):
                    lane, value = owners[row, col]
                    self.assertEqual(array[lane, value].tolist(), [row, col])

    def test_what_has_no_map_says_so(self):
        hopper = ts.map_of("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16")
        self.assertEqual((hopper.threads, hopper.operands["B"]), (128, None))
        with self.assertRaisesRegex(KeyError, "it has A, C"):
            hopper["B"]
        moved = ts.map_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16")
        self.assertEqual(moved.operands, {})
        self.assertEqual(len(moved.document["address"]), 32)

    def test_words_find_instructions(self):
        names = ts.instructions("m16n8k16", "bf16")
        self.assertEqual([m.atom for m in ts.maps("m16n8k16", "bf16")], names)
        self.assertLess(len(names), len(ts.instructions()))

    def test_shared_memory(self):
        self.assertEqual(ts.swizzle("64B").array().shape, (8, 4))
        self.assertEqual(ts.banks("lds.32", 8).conflicts, 1)
        self.assertEqual(ts.banks("ldmatrix.x4", 128, swizzle_mode="128B").conflicts, 0)


class Bench(unittest.TestCase):
    def test_emulated_recorded_and_swept(self):
        g = ts.Gemm("naive", 64)
        emulated = ts.bench(g)
        self.assertTrue(emulated.ok)
        self.assertIsNone(emulated.tflops)
        recorded = ts.bench("mma_multistage", 8192, device="recorded")
        self.assertEqual(recorded.standing, "recorded")
        self.assertGreater(recorded.tflops, 1)
        slider = next(k for k in ts.kernels() if k.id == "naive").sliders[0]
        swept = ts.sweep(g, axes={slider.name: slider.values[:2]})
        self.assertEqual([one.tile[slider.name] for one in swept], slider.values[:2])
        self.assertEqual(swept.column("ok").tolist(), [True, True])

    def test_two_compared(self):
        a = ts.Gemm("mma_multistage", 8192, device="recorded")
        b = a.but(kernel="mma_sync")
        compared = ts.compare(a, b)
        self.assertAlmostEqual(sum(why.us for why in compared.why), compared.modelled_us, places=6)
        self.assertAlmostEqual(compared.measured_us, compared.b.time_us - compared.a.time_us)
        self.assertGreater(compared.measured_us, 0)
        self.assertIn("mma_sync", compared._repr_html_())


class WithoutNumPy(unittest.TestCase):
    def test_all_but_arrays_works(self):
        said = subprocess.run([sys.executable, "-c", "\n".join((
            "import sys", "sys.modules['numpy'] = None", "import tilescope as ts",
            f"m = ts.map_of('{MMA}')", "print(m['A'].map[1][0])",
            "try: m['A'].array()", "except ts.Missing as error: print(error)"))],
            check=True, capture_output=True, text=True).stdout
        self.assertEqual(said.splitlines()[0], "(0, 2)")
        self.assertIn("pip install numpy", said)


class Pictures(unittest.TestCase):
    def test_a_map_and_a_tile_show_themselves(self):
        names = []
        for picture in (ts.map_of(MMA)._repr_svg_(), ts.model("naive", 64).svg()):
            # Well-formed; each name is referred to within the picture, and is no other picture's.
            root = ElementTree.fromstring(picture)
            here = {one.get("id") for one in root.iter() if one.get("id")}
            asked = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', picture))
            self.assertTrue({a or b for a, b in asked} <= here)
            names.append(here)
        self.assertTrue(names[0])
        self.assertFalse(names[0] & names[1])

    def test_a_panel_that_is_no_picture_is_refused(self):
        with self.assertRaisesRegex(ts.BadRequest, "panel controls is not drawn as SVG"):
            ts.svg("controls")


if __name__ == "__main__":
    unittest.main()
