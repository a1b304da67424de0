#!/usr/bin/env python3
"""tools/deps: hashes, recovery, overrides and CPU features, with a false npm and no network."""
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOL = Path(__file__).resolve().parents[2] / "tools" / "deps"
LOADER = importlib.machinery.SourceFileLoader("deps", str(TOOL))
SPEC = importlib.util.spec_from_loader("deps", LOADER)
deps = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(deps)


def tarball(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


class FetchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.good = tarball({"package/src/a.cpp": b"int a;", "package/junk": b"junk",
                             "package/src/../../../escaped": b"out", "/absolute": b"out"})
        (self.root / "bin").mkdir()
        self.env = mock.patch.dict(os.environ, {
            "SOTTO_CACHE_DIR": str(self.root / "cache"), "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        self.env.start()
        self.addCleanup(self.env.stop)
        for name in [name for name in os.environ if name.endswith("_SOURCE_DIR")]:
            del os.environ[name]
        self.row = {"name": "thing", "version": "1", "client": "npm", "package": "thing@1",
                    "artefact": {"any": {"file": "thing-1.tgz", "sha256": hashlib.sha256(self.good).hexdigest()}},
                    "take": "tar:package", "only": ["src/"]}
        self.rows = {"thing": self.row}

    def serve(self, data, status=0):
        """A npm that writes `data` where it is told to."""
        (self.root / "payload").write_bytes(data)
        npm = self.root / "bin" / "npm"
        npm.write_text(f"#!/bin/sh\necho x >> {self.root}/calls\n"
                       f"cp {self.root}/payload \"$4/thing-1.tgz\"\nexit {status}\n")
        npm.chmod(0o755)

    def calls(self):
        path = self.root / "calls"
        return path.read_text().count("x") if path.exists() else 0

    def test_takes_only_what_the_row_names_and_nothing_outside(self):
        self.serve(self.good)
        tree = deps.fetch(self.rows, self.row, False)
        files = sorted(str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file())
        self.assertEqual(files, [".manifest", "src/a.cpp"])
        self.assertFalse((self.root / "escaped").exists())

    def test_fetches_once_and_then_works_offline(self):
        self.serve(self.good)
        first = deps.fetch(self.rows, self.row, False)
        self.assertEqual(deps.fetch(self.rows, self.row, True), first)
        self.assertEqual(self.calls(), 1)

    def test_wrong_bytes_are_never_used(self):
        self.serve(self.good + b"x")
        with self.assertRaisesRegex(deps.DepsError, "sha256 is .* the lock says"):
            deps.fetch(self.rows, self.row, False)
        self.assertEqual(list((self.root / "cache" / "artefacts").iterdir()), [])
        self.serve(self.good)
        self.assertTrue(deps.fetch(self.rows, self.row, False).is_dir())

    def test_leftovers_of_a_killed_run_are_replaced(self):
        self.serve(self.good)
        tree = deps.tree_of(self.row)
        for part in (self.root / "cache/artefacts/thing-1.tgz.part", tree.with_name(tree.name + ".part"), tree):
            part.mkdir(parents=True)
            (part / "half").write_text("half")
        (self.root / "cache/artefacts/thing-1.tgz").write_bytes(self.good[:40])
        self.assertEqual(deps.fetch(self.rows, self.row, False), tree)
        self.assertFalse((tree / "half").exists())

    def test_a_failing_client_is_retried_and_then_named(self):
        self.serve(self.good, status=1)
        with mock.patch.object(deps.time, "sleep"), self.assertRaisesRegex(deps.DepsError, "fetch thing: exit 1"):
            deps.fetch(self.rows, self.row, False)
        self.assertEqual(self.calls(), deps.TRIES)

    def test_offline_without_cache_says_what_to_run(self):
        with self.assertRaisesRegex(deps.DepsError, "not in the cache; run tools/deps fetch"):
            deps.fetch(self.rows, self.row, True)

    def test_a_killed_build_leaves_no_prefix_and_the_next_one_completes(self):
        with mock.patch.object(deps, "prefix_of", return_value=self.root / "cache/prefix/thing-1-key"):
            def killed(_rows, part, _offline):
                (part / "half").write_text("half")
                raise KeyboardInterrupt
            with mock.patch.dict(deps.BUILDERS, {"thing": killed}), self.assertRaises(KeyboardInterrupt):
                deps.prefix(self.rows, "thing", False)
            self.assertFalse((self.root / "cache/prefix/thing-1-key").exists())
            with mock.patch.dict(deps.BUILDERS, {"thing": lambda _r, part, _o: (part / "whole").touch()}):
                done = deps.prefix(self.rows, "thing", False)
            self.assertEqual([path.name for path in done.iterdir()], ["whole"])

    def test_override_must_exist_and_changes_the_key(self):
        os.environ["SOTTO_WHISPER_SOURCE_DIR"] = str(self.root / "none")
        with self.assertRaisesRegex(deps.DepsError, "SOTTO_WHISPER_SOURCE_DIR: .* not a directory"):
            deps.override_of("whisper")
        os.environ["SOTTO_WHISPER_SOURCE_DIR"] = str(self.root)
        rows, _ = deps.load_lock()
        before = deps.key_of(rows, "whisper")
        (self.root / "edited.cpp").write_text("int b;")
        self.assertNotEqual(deps.key_of(rows, "whisper"), before)


class CpuTest(unittest.TestCase):
    def choose(self, asked, flags=""):
        with mock.patch.dict(os.environ, {"SOTTO_CPU": asked}), \
                mock.patch.object(deps.platform, "machine", return_value="x86_64"), \
                mock.patch.object(deps, "cpuinfo_flags", return_value=set(flags.split())):
            arguments, needs = deps.cpu_choice()
        return [text[7:-3] for text in arguments if text.endswith("=ON")], needs

    def test_native_takes_what_the_machine_has(self):
        self.assertEqual(self.choose("native", "sse4_2 avx fma avx512f"),
                         (["SSE42", "AVX", "FMA"], ["sse4_2", "avx", "fma"]))

    def test_a_level_does_not_look_at_the_machine(self):
        names, needs = self.choose("x86-64-v3")
        self.assertIn("AVX2", names)
        self.assertNotIn("avx512f", needs)

    def test_a_list_is_taken_literally_and_a_wrong_name_refused(self):
        self.assertEqual(self.choose("AVX2,FMA"), (["FMA", "AVX2"], ["fma", "avx2"]))
        with self.assertRaisesRegex(deps.DepsError, "SOTTO_CPU: AVX3"):
            self.choose("AVX3")


class LockTest(unittest.TestCase):
    def test_every_row_says_what_it_must(self):
        rows, debian = deps.load_lock()
        for row in [*rows.values(), *json.loads(deps.LOCK_FILE.read_text())["test_models"]]:
            for key in ("version", "client", "package", "artefact", "take", "licence", "why", "leave"):
                self.assertTrue(row.get(key), f"{row['name']}: {key}")
            for pin in row["artefact"].values():
                self.assertRegex(pin["sha256"], "^[0-9a-f]{64}$")
        for row in debian:
            self.assertEqual(set(row), {"name", "version", "licence", "why", "leave"}, row["name"])
        self.assertEqual(json.loads(deps.LOCK_FILE.read_text())["schema"], 1)

    def test_every_test_model_has_its_source(self):
        lock = json.loads(deps.LOCK_FILE.read_text())
        rows = {row["name"] for row in lock["test_models"]}
        text = (TOOL.parents[1] / "tests" / "models.txt").read_text()
        catalogue = json.loads((TOOL.parents[1] / "catalogue" / "catalogue.json").read_text())
        models = {model["id"] for model in catalogue["models"]}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                kind, _, where = line.split(" ")[1].partition(":")
                for part in where.split("+"):
                    known = {"store": models, "package": rows, "tree": {"testdata"}}[kind]
                    self.assertIn(part.split("/")[0], known, line)

    def test_list_prints_every_row(self):
        out = subprocess.run([str(TOOL), "list"], capture_output=True, text=True, check=True).stdout
        rows, debian = deps.load_lock()
        for name in [*rows, *(row["name"] for row in debian)]:
            self.assertIn(name, out)


if __name__ == "__main__":
    unittest.main()
