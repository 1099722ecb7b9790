"""`python -m tilescope` is the command line, and the window says what it lacks."""
import ctypes
import io
import os
import subprocess
import sys
import unittest
from contextlib import redirect_stderr
from unittest import mock

from tilescope import __main__ as main


class Main(unittest.TestCase):
    def test_it_is_the_command_line(self):
        ran = subprocess.run([sys.executable, "-m", "tilescope", "kernels", "--json"],
                             capture_output=True, check=True)
        theirs = subprocess.run([os.environ["TILESCOPE_CLI"], "kernels", "--json"],
                                capture_output=True, check=True)
        self.assertEqual(ran.stdout, theirs.stdout)
        ran = subprocess.run([sys.executable, "-m", "tilescope", "nonsense"], capture_output=True)
        self.assertEqual(ran.returncode, 2)

    def said(self, call):
        with redirect_stderr(io.StringIO()) as said:
            self.assertEqual(call(), 3)
        self.assertEqual(said.getvalue().count("\n"), 1)
        return said.getvalue()

    def test_a_system_without_x11_is_told(self):
        with mock.patch.object(ctypes, "CDLL", side_effect=OSError("no such file")):
            self.assertIn("libx11-6", self.said(main.window))

    def test_a_package_without_programs_is_told(self):
        with mock.patch.dict(os.environ, TILESCOPE_CLI="/nowhere/tilescope-cli"):
            self.assertIn("/nowhere/tilescope-cli", self.said(main.command_line))


if __name__ == "__main__":
    unittest.main()
