"""lessons_test.py CLI: `lessons --check` plays the lessons on the emulator: three of them by chance, all of them where
TILESCOPE_ALL is set, as ./test --long does (tests/sampled.h)."""
import json
import os
import random
import subprocess
import sys

cli = sys.argv[1]
names = [lesson["id"] for lesson in json.loads(subprocess.run([cli, "lessons", "--json"], capture_output=True,
                                                              check=True).stdout)]
assert len(names) >= 15, names
if "TILESCOPE_ALL" not in os.environ:
    names = random.Random(26).sample(names, 3)
print("played:", *names, flush=True)
sys.exit(subprocess.run([cli, "lessons", "--check", *names], check=False).returncode)
