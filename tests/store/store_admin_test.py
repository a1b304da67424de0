"""What the store says of itself: list, show, resolve, verify, rm, packs, the disk check."""
import json
import os
import unittest

from harness import (DATA_LOSS, EXHAUSTED, INVALID, NOT_FOUND, PRECONDITION, UNAVAILABLE,
                     StoreCase, noise, sha)


class Admin(StoreCase):
    def json(self, *args, env=()):
        code, out = self.tool(*args, env=env)
        self.assertEqual(code, 0, out)
        return json.loads(out)

    def test_unknown_names(self):
        self.simple("/ok")
        for command in ("pull", "show", "resolve", "verify", "rm"):
            self.fails(NOT_FOUND, command, "nothing-like-it")
        self.assertIn("whisper-base", self.fails(NOT_FOUND, "show", "whisper"))
        self.fails(INVALID, "pull")
        for name in ("../m", "m/../m", "", "a" * 5000, "-x"):
            code, _ = self.tool("show", name)
            self.assertIn(code, (2, NOT_FOUND))

    def test_resolve_tells_what_to_run(self):
        self.simple("/ok")
        self.assertIn("sotto pull m", self.fails(UNAVAILABLE, "resolve", "m"))
        self.pull("m")
        code, path = self.tool("resolve", "m")
        self.assertEqual(path, str(self.dir / "models" / "m" / "f.gguf"))

    def test_brand_hides_the_base_and_show_reveals_it(self):
        self.simple("/ok")
        self.models[0].update(name="Sotto Something", aliases=["base-name"])
        listed = [m for m in self.json("list")["models"] if m["id"] == "m"][0]
        self.assertEqual(listed["name"], "Sotto Something")
        self.assertNotIn("base", json.dumps(listed))
        shown = self.json("show", "base-name")
        self.assertEqual(shown["lineage"]["base"], "nobody/base-of-m")

    def test_case_071_changed_files_are_found(self):
        data = self.simple("/ok")
        self.pull("m")
        self.assertTrue(self.json("verify", "m")["ok"])
        blob = self.dir / "blobs" / ("sha256-" + sha(data))
        blob.chmod(0o644)
        blob.write_bytes(data[:1000] + b"?" + data[1001:])
        self.assertTrue(self.json("verify", "--quick", "m")["ok"])  # sizes only
        report = self.json("verify", "m")
        self.assertFalse(report["ok"])
        self.assertEqual(report["files"][0]["code"], "data_loss")
        blob.write_bytes(data[:-1])
        self.assertFalse(self.json("verify", "--quick", "m")["ok"])
        self.assertIn("sotto pull m", self.fails(DATA_LOSS, "resolve", "m"))
        self.pull("m")  # one run mends it
        self.assertTrue(self.json("verify", "m")["ok"])
        blob.unlink()
        self.fails(DATA_LOSS, "resolve", "m")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_rotten_contents_without_a_receipt_are_fetched_again(self):
        data = self.simple("/ok")
        self.pull("m")
        (self.dir / "models" / "m" / "receipt.json").unlink()
        blob = self.dir / "blobs" / ("sha256-" + sha(data))
        blob.chmod(0o644)
        blob.write_bytes(b"?" + data[1:])
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_damaged_receipt(self):
        self.simple("/ok")
        self.pull("m")
        for text in ("", "{", "[]", '{"id": 3}', '{"id": "m", "files": [{}]}',
                     '{"id": "m", "files": [{"name": "../../x", "sha256": "0", "size_bytes": 1}]}'):
            (self.dir / "models" / "m" / "receipt.json").write_text(text)
            self.fails(UNAVAILABLE, "resolve", "m")
            self.pull("m")

    def put(self, kind, path):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        elif path.is_symlink() or path.exists():
            path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "link":
            path.symlink_to(self.precious)
        else:
            path.symlink_to(path)

    def test_what_stands_in_place_of_a_file_is_replaced_and_never_followed(self):
        self.precious = self.tmp / "precious"
        self.precious.write_bytes(b"mine")
        data = self.simple("/ok")
        self.pull("m")
        folder = self.dir / "models" / "m"
        for kind in ("folder", "pipe", "link", "loop"):
            for path in (folder / "receipt.json", folder / "f.gguf", self.dir / "blobs" / sha(data)):
                with self.subTest(kind=kind, name=path.name):
                    self.put(kind, path)
                    self.pull("m")
                    self.assertEqual(self.content("m"), data)
                    self.assertEqual(self.tool("verify", "m")[0], 0)
                    self.assertEqual(self.precious.read_bytes(), b"mine")
                    self.put(kind, path)
                    self.tool("rm", "m", "--force")
                    self.assertFalse(folder.exists())
                    self.assertEqual(self.precious.read_bytes(), b"mine")
                    self.pull("m")

    def test_catalogue_with_another_hash_makes_the_model_outdated(self):
        self.simple("/ok")
        self.pull("m")
        self.models.clear()
        data = self.simple("/ok", noise(1000, 5))
        listed = [m for m in self.json("list")["models"] if m["id"] == "m"][0]
        self.assertEqual(listed["state"], "outdated")
        self.assertIn("older", self.fails(UNAVAILABLE, "resolve", "m"))
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_equal_contents_are_kept_once(self):
        data = self.simple("/ok")
        self.simple("/ok", data, model_id="twin")
        self.pull("m", "twin")
        self.assertEqual(len(self.server.requests), 1)
        self.assertEqual(self.json("rm", "m")["freed_bytes"], 0)
        self.assertEqual(self.content("twin"), data)
        self.assertEqual(self.json("rm", "twin")["freed_bytes"], len(data))
        self.assertEqual(list((self.dir / "blobs").iterdir()), [])
        self.fails(NOT_FOUND, "rm", "twin")

    def test_removal_takes_what_an_interrupted_pull_left(self):
        data = noise(100_000, 1)
        self.model("m", self.file("f.gguf", data, self.server.url + "/ok/f.gguf"),
                   self.file("g.gguf", noise(50_000, 2), self.server.url + "/frozen/g.gguf"))
        self.server.files["g.gguf"] = b"x"
        self.fails(UNAVAILABLE, "pull", "m", env={"TOOL_STALL_MS": "100", "TOOL_ATTEMPTS": "1"})
        self.assertEqual(len(list((self.dir / "blobs").iterdir())), 1)
        self.assertGreaterEqual(self.json("rm", "m")["freed_bytes"], len(data))
        self.assertEqual(list((self.dir / "blobs").iterdir()), [])
        self.assertEqual(self.left_over(), [])
        self.fails(NOT_FOUND, "rm", "m")

    def test_whole_models_stay_when_another_of_the_pull_fails(self):
        data = self.simple("/ok", noise(1000, 1), model_id="a")
        self.model("b", self.file("g.gguf", noise(1000, 2), self.server.url + "/code-404/g.gguf"))
        self.fails(NOT_FOUND, "pull", "a", "b")
        self.assertEqual(self.content("a"), data)
        self.tool("resolve", "a")

    def test_disk_space_is_checked_before_the_first_byte(self):
        self.simple("/ok", noise(1_000_000, 1))
        self.simple("/ok", noise(1_000_000, 2), model_id="n")
        spare = 64 * 1024 * 1024
        message = self.fails(EXHAUSTED, "pull", "m", "n",
                             env={"TOOL_FREE_BYTES": str(spare + 1_999_999)})
        self.assertIn("sotto rm", message)
        self.assertEqual(self.server.requests, [])

    def test_disk_space_that_just_suffices(self):
        self.simple("/ok", noise(1_000_000, 1))
        self.pull("m", env={"TOOL_FREE_BYTES": str(64 * 1024 * 1024 + 1_000_000)})

    # --- packs ---------------------------------------------------------------------------------
    def pack(self, pack_id, *models):
        """A pack of single-file text models of this test's catalogue."""
        by_id = {m["id"]: m for m in self.models}
        files = [{"role": "text", "profile": p, "model": m, "path": "f.gguf",
                  "sha256": by_id[m]["files"][0]["sha256"],
                  "size_bytes": by_id[m]["files"][0]["size_bytes"]}
                 for m, p in zip(models, ("fast", "better"))]
        manifest = {"schema": "sotto.pack", "schema_version": 1, "id": pack_id, "version": "1.0.0",
                    "published_at": "2026-01-01", "files": files,
                    "lineage": [{"role": "text", "profile": f["profile"], "base": "b",
                                 "licence": "MIT"} for f in files],
                    "kernels": {"required": []}, "ram_budget_mb": {"min": 1, "recommended": 2},
                    "provenance": {"release_state": "local"}}
        path = self.tmp / (pack_id + ".json")
        path.write_text(json.dumps(manifest))
        known = self.env.get("TOOL_MANIFESTS", "")
        self.env["TOOL_MANIFESTS"] = known + (":" if known else "") + str(path)
        return path

    def test_packs(self):
        self.simple("/ok", noise(5000, 1), model_id="a")
        self.models[0]["files"][0]["sources"] = [self.server.url + "/ok/a"]
        self.simple("/ok", noise(6000, 2), model_id="b")
        self.models[1]["files"][0]["sources"] = [self.server.url + "/ok/b"]
        self.server.files.update(a=noise(5000, 1), b=noise(6000, 2))
        self.pack("one", "a", "b")
        self.pack("two", "a")
        self.pull("one", "two")
        installed = {p["id"]: p["installed"] for p in self.json("list")["packs"]}
        self.assertEqual((installed["one"], installed["two"]), (True, True))
        self.assertIn("needed by pack", self.fails(PRECONDITION, "rm", "a"))
        report = self.json("rm", "one")
        self.assertEqual(report["removed"], ["one", "b"])
        self.assertEqual(report["kept"], ["a: needed by two"])
        self.assertEqual(report["freed_bytes"], 6000)
        report = self.json("rm", "--force", "a")
        self.assertEqual((report["freed_bytes"], report["incomplete_packs"]), (5000, ["two"]))
        installed = {p["id"]: p["installed"] for p in self.json("list")["packs"]}
        self.assertFalse(installed["two"])
        self.pull("two", "b")
        self.assertEqual(self.json("rm", "two")["removed"], ["two", "a"])
        self.pack("three", "b")
        self.pull("three")
        self.assertIn("pulled by name", self.json("rm", "three")["kept"][0])

    def test_pack_that_differs_from_the_catalogue(self):
        self.simple("/ok", model_id="a")
        path = self.pack("one", "a")
        manifest = json.loads(path.read_text())
        manifest["files"][0]["sha256"] = "0" * 64
        path.write_text(json.dumps(manifest))
        self.assertIn("differs", self.fails(DATA_LOSS, "list"))

    def test_malformed_catalogue(self):
        for text in ("", "{", "[]", '{"schema_version": 2, "models": []}',
                     '{"schema_version": 1, "models": [{}]}'):
            self.simple("/ok")
            self.write_catalogue()
            (self.tmp / "broken.json").write_text(text)
            self.fails(DATA_LOSS, "list", env={"SOTTO_CATALOGUE": str(self.tmp / "broken.json")})
        self.fails(NOT_FOUND, "list", env={"SOTTO_CATALOGUE": "/no/such/file"})


if __name__ == "__main__":
    unittest.main()
