"""What goes through the worker: emulate, trace and calls of one's own, beside the command line.

worker_test.py [unittest's options]; $TILESCOPE_CLI names the program. Ends with 77 without NVRTC.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from dataclasses import asdict

import numpy as np
import tilescope as ts
from tilescope.worker import shared_worker

AXPY = """
extern "C" __global__ void axpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void widen(const short* x, double* y) { y[threadIdx.x] = x[threadIdx.x]; }
"""


def command_line(*arguments):
    ran = subprocess.run([ts.program(), *arguments, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout)


class Emulated(unittest.TestCase):
    def test_counts_are_the_command_lines(self):
        g = ts.Gemm("mma_sync", 256, tile={"block_m": 64})
        said = command_line("emulate", *g.flags())
        ran = ts.emulate(g, seed=1)
        self.assertTrue(ran.ok)
        self.assertEqual(ran.by_opcode, said["by_opcode"])
        self.assertEqual((ran.ctas, ran.mma, ran.barriers), (said["ctas"], said["mma"],
                                                             said["barriers"]))
        for mine, theirs in ((ran.global_load, said["global"]["load"]),
                             (ran.global_store, said["global"]["store"])):
            self.assertEqual((mine.requests, mine.sectors), (theirs["requests"], theirs["sectors"]))
        for mine, theirs in ((ran.shared_load, said["shared"]["load"]),
                             (ran.shared_store, said["shared"]["store"])):
            self.assertEqual((mine.wavefronts, mine.conflicts), (theirs["wavefronts"],
                                                                 theirs["conflicts"]))
        self.assertIn("shared loads", ran._repr_html_())

    def test_a_wrong_kernel_is_an_answer_and_no_exception(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cp", "-r", os.path.join(os.environ["TILESCOPE_ROOT"], "kernels"), folder],
                           check=True)
            kernels = os.path.join(folder, "kernels")
            file = os.path.join(kernels, "01_naive.cuh")
            with open(file, encoding="utf-8") as f:
                text = f.read()
            wrong = text.replace("sum[0] +=", "sum[0] -=")
            self.assertNotEqual(wrong, text)
            with open(file, "w", encoding="utf-8") as f:
                f.write(wrong)
            ran = ts.emulate("naive", 64, kernel_dir=kernels)
        self.assertFalse(ran.ok)
        self.assertFalse(ran.verified.ok)
        self.assertIn("WRONG", repr(ran))


class Traced(unittest.TestCase):
    def test_events_and_addresses_are_the_command_lines(self):
        g = ts.Gemm("mma_multistage", 256)
        said = command_line("trace", *g.flags(), "--cta", "1,0", "--lanes")
        traced = ts.trace(g, cta=(1, 0))
        self.assertEqual(len(traced.events), len(said["events"]))
        for mine, theirs in zip(traced.events, said["events"]):
            self.assertEqual(asdict(mine), {name: theirs[name] for name in traced.events.columns})
        addresses = traced.addresses()
        for mine, theirs in zip(addresses, said["events"]):
            lanes = theirs["address"] or [None] * 32
            self.assertEqual([at if at >= 0 else None for at in mine.tolist()],
                             [at if at is not None and at < 2**63 else None for at in lanes])
        self.assertTrue((addresses >= 0).any())
        self.assertEqual((traced.warps, traced.k_slices, list(traced.cta)),
                         (said["warps"], said["k_slices"], said["cta"]))
        self.assertEqual(traced.array()["count"].tolist(), [e["count"] for e in said["events"]])

    def test_another_machine_is_refused(self):
        for ask in (ts.trace, ts.emulate):
            with self.assertRaisesRegex(ts.BadRequest, "runs on this machine"):
                ask("naive", 64, device="ssh:elsewhere/emulator")

    def test_a_cta_outside_of_the_grid_is_refused(self):
        with self.assertRaises(ts.TilescopeError):
            ts.trace("naive", 64, cta=(1000, 0))

    def test_it_shows_itself(self):
        self.assertIn("</svg>", ts.trace("naive", 64)._repr_svg_())


class Own(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "axpy.cu")
        with open(self.file, "w", encoding="utf-8") as f:
            f.write(AXPY)

    def test_arrays_go_in_and_come_back(self):
        x, y = np.arange(100, dtype=np.float32), np.ones((10, 10), dtype=np.float32)
        done = ts.run(self.file, ts.In(x), y, np.float32(2), np.int32(100), grid=(4,), block=(32,),
                      entry="axpy", check=True)
        self.assertEqual([a is None for a in done.arrays], [True, False, True, True])
        np.testing.assert_array_equal(done.arrays[1], y + 2 * x.reshape(10, 10))
        self.assertEqual(y.sum(), 100)  # what was given stays
        self.assertEqual(done.emulation.ctas, 4)
        self.assertIsNone(done.emulation.verified)
        begun = ts.run(self.file, ts.In(np.arange(8, dtype=np.int16)), ts.Out((2, 4), np.float64),
                       grid=(1,), block=(8,), entry="widen")
        np.testing.assert_array_equal(begun.arrays[1], np.arange(8.0).reshape(2, 4))

    def test_a_fault_names_its_place(self):
        x = np.ones(10, dtype=np.float32)
        with self.assertRaises(ts.Failed) as raised:
            ts.run(self.file, x, x, 1.0, 11, grid=(1,), block=(32,), entry="axpy")
        self.assertIn("lane", str(raised.exception))
        self.assertIn("fault", raised.exception.details)

    def test_what_is_no_argument_is_refused(self):
        x = np.ones(10, dtype=np.float32)
        for wrong in (None, True, [1], np.ones(0)):
            with self.assertRaises(ts.BadRequest):
                ts.run(self.file, x, wrong, 1.0, 10, grid=(1,), entry="axpy")
        with self.assertRaises(ts.BadRequest):
            ts.run(self.file, x, grid=(1,), entry="axpy")


class Measured(unittest.TestCase):
    """On the test driver's card, which is the emulator: figures are not judged."""

    def setUp(self):
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ["TILESCOPE_CUDA_DRIVER"] = os.environ["TILESCOPE_TEST_DRIVER"]

    def test_a_card_measures(self):
        measured = ts.bench("naive", 64, device="cuda:0", seconds=0.01)
        self.assertTrue(measured.ok)
        self.assertEqual(measured.standing, "measured")
        self.assertGreater(measured.time_us, 0)
        self.assertGreater(measured.samples, 0)
        self.assertIn("measured", repr(measured))

    def test_a_worker_knows_the_card(self):
        with ts.Worker() as worker:
            found = [d["id"] for d in worker.call("devices").value["devices"] if d["available"]]
        self.assertIn("cuda:0", found)


class Calls(unittest.TestCase):
    def test_a_call_that_is_cancelled_says_so(self):
        with ts.Worker() as worker:
            asked = ts.Gemm("naive", 2048).message()
            told = threading.Event()

            def cancel(_):
                if not told.is_set():
                    told.set()
                    worker.cancel()

            with self.assertRaises(ts.Cancelled):
                worker.call("emulate", {**asked, "scope": "whole"}, device="emulator",
                            progress=cancel)
            self.assertTrue(told.is_set())
            # It goes on.
            self.assertIn("devices", worker.call("devices").value)
        self.assertFalse(worker.alive)

    def test_what_the_worker_refuses_is_an_exception(self):
        with ts.Worker() as worker:
            with self.assertRaises(ts.TilescopeError):
                worker.call("no such method")
            with self.assertRaises(ts.TilescopeError):
                worker.call("emulate", {"kernel": "naive"}, device="emulator")

    def test_a_worker_that_is_gone_is_said_and_the_shared_one_started_anew(self):
        gone = shared_worker()
        gone.close()
        with self.assertRaises(ts.Failed):
            gone.call("devices")
        self.assertIn("emulator", [device.id for device in ts.devices()])

    def test_a_step(self):
        at = ts.step("mma_sync", 256, to=["barrier"])
        self.assertTrue(at.found)
        self.assertEqual(at.register(at.registers[0].name).shape, (32,))
        with self.assertRaises(KeyError):
            at.register("%none")


if __name__ == "__main__":
    try:
        ts.emulate("naive", 64)
    except ts.Missing as missing:
        print(missing)
        sys.exit(77)
    unittest.main()
