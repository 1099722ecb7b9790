"""Compilers that come as wheels: pinned by version and hash in *-packages.txt, fetched once."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def folder_of(compiler, cache):
    """Where its packages are, or would be."""
    listed = HERE / f"{compiler}-packages.txt"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    mark = hashlib.sha256(listed.read_bytes() + version.encode()).hexdigest()[:12]
    return cache / f"{compiler}-{mark}"


def fetch(compiler, cache):
    """The folder with the packages; none if pip cannot bring them."""
    folder = folder_of(compiler, cache)
    if not folder.exists():
        part = folder.with_suffix(f".{os.getpid()}")  # renamed when whole
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary",
             ":all:", "--require-hashes", "--target", part, "-r",
             HERE / f"{compiler}-packages.txt"],
            capture_output=True, text=True)
        if done.returncode != 0:
            shutil.rmtree(part, ignore_errors=True)
            print(f"pip could not fetch {compiler} for Python {sys.version_info.major}."
                  f"{sys.version_info.minor}: {done.stderr.strip()}")
            return None
        try:
            part.rename(folder)
        except OSError:  # another test was quicker
            shutil.rmtree(part, ignore_errors=True)
    return folder
