"""The hub: its cache shared, its hashes pinned, its token kept to itself."""
import json
import unittest

from harness import DATA_LOSS, DENIED, UNAVAILABLE, StoreCase, noise, sha


class Hub(StoreCase):
    def setUp(self):
        super().setUp()
        self.repo = self.tmp / "hub" / "models--org--repo"

    def hub_file(self, name, data, known=True):
        entry = self.file(name, data, "hf:org/repo/" + name)
        if not known:
            entry.update(sha256="hub", size_bytes=0)
        return entry

    def cached(self, data, name="f.gguf", blob=None):
        """Puts a file into the hub's cache as the hub's tools do."""
        blob = blob or sha(data)
        (self.repo / "blobs").mkdir(parents=True)
        (self.repo / "blobs" / blob).write_bytes(data)
        commit = self.server.hub_commit
        (self.repo / "snapshots" / commit).mkdir(parents=True)
        (self.repo / "snapshots" / commit / name).symlink_to("../../blobs/" + blob)
        (self.repo / "refs").mkdir()
        (self.repo / "refs" / "main").write_text(commit)

    def test_lands_in_the_shared_cache(self):
        data = noise(100_000, 1)
        self.model("m", self.hub_file("f.gguf", data))
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        commit = self.server.hub_commit
        link = self.repo / "snapshots" / commit / "f.gguf"
        self.assertEqual(link.resolve(), (self.repo / "blobs" / sha(data)).resolve())
        self.assertEqual((self.repo / "refs" / "main").read_text(), commit)
        self.assertEqual(list((self.dir / "blobs").iterdir()), [])

    def test_cached_file_is_not_downloaded_again(self):
        data = noise(100_000, 1)
        self.cached(data)
        self.model("m", self.hub_file("f.gguf", data))
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.server.requests, [])

    def test_cached_file_with_wrong_bytes_is_not_used(self):
        data = noise(100_000, 1)
        self.cached(noise(100_000, 2), blob=sha(data))
        self.model("m", self.hub_file("f.gguf", data))
        message = self.fails(DATA_LOSS, "pull", "m")
        self.assertIn("remove the file", message)
        self.assert_nothing_usable()

    def test_damage_of_what_this_store_brought_is_mended(self):
        for known in (True, False):
            data = noise(100_000, known)
            self.models.clear()
            name, model = "k%d" % known, "m%d" % known
            self.model(model, self.hub_file(name, data, known))
            self.pull(model)
            for bad in (data[:-1], bytes([data[0] ^ 1]) + data[1:]):
                blob = (self.dir / "models" / model / name).resolve()
                blob.chmod(0o644)
                blob.write_bytes(bad)
                self.assertFalse(json.loads(self.tool("verify", model)[1])["ok"])
                self.pull(model)
                self.assertEqual(self.content(model, name), data)
                self.assertTrue(json.loads(self.tool("verify", model)[1])["ok"])

    def test_unknown_hash_is_pinned_at_the_first_pull(self):
        data = noise(100_000, 1)
        self.model("m", self.hub_file("f.gguf", data, known=False))
        self.pull("m")
        pins = json.loads((self.dir / "pins" / "m.json").read_text())
        self.assertEqual(pins["f.gguf"]["sha256"], sha(data))
        self.assertEqual(pins["f.gguf"]["commit"], self.server.hub_commit)
        # Upstream changes: the pin stands, until told otherwise.
        self.tool("rm", "m")
        self.server.files["f.gguf"] = noise(100_000, 2)
        message = self.fails(DATA_LOSS, "pull", "m")
        self.assertIn(sha(data), message)
        self.assert_nothing_usable()
        self.pull("m", "--repin")
        self.assertEqual(self.content("m"), noise(100_000, 2))

    def test_pinned_commit_is_asked_for(self):
        self.model("m", self.hub_file("f.gguf", noise(100_000, 1), known=False))
        self.pull("m")
        self.tool("rm", "m")
        self.server.requests.clear()
        self.pull("m")
        self.assertIn("/resolve/%s/" % self.server.hub_commit, self.server.requests[-2][1])

    def test_small_file_named_by_git_hash(self):
        data = noise(500, 1)
        self.model("m", self.hub_file("c.json", data, known=False))
        self.pull("m")
        self.assertEqual(self.content("m", "c.json"), data)
        pins = json.loads((self.dir / "pins" / "m.json").read_text())
        self.assertEqual(pins["c.json"]["sha256"], sha(data))

    def test_hub_with_another_file_than_the_catalogue(self):
        self.model("m", self.hub_file("f.gguf", noise(100_000, 1)))
        self.server.files["f.gguf"] = noise(100_000, 2)
        self.fails(DATA_LOSS, "pull", "m")
        self.assertEqual([r for r in self.server.requests if r[0] == "GET"], [])

    def test_wrong_bytes_from_the_hub(self):
        data = noise(100_000, 1)
        self.model("m", self.hub_file("f.gguf", data, known=False))
        self.server._http.RequestHandlerClass._do_cdn = \
            self.server._http.RequestHandlerClass._do_wrong
        self.fails(DATA_LOSS, "pull", "m")
        self.assertEqual(list((self.repo / "blobs").iterdir()), [])
        self.assertFalse((self.dir / "pins" / "m.json").exists())

    def test_incomplete_download_of_the_hubs_tools_is_continued(self):
        data = noise(100_000, 1)
        (self.repo / "blobs").mkdir(parents=True)
        (self.repo / "blobs" / (sha(data) + ".incomplete")).write_bytes(data[:60_000])
        self.model("m", self.hub_file("f.gguf", data))
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.server.requests[-1][2]["range"], "bytes=60000-")

    def test_token(self):
        self.server.hub_token = "s3cret"
        self.model("m", self.hub_file("f.gguf", noise(100_000, 1)))
        message = self.fails(DENIED, "pull", "m")
        self.assertIn("HF_TOKEN", message)
        self.pull("m", env={"HF_TOKEN": "s3cret"})
        for _, path, headers in self.server.requests:
            if path.startswith("/cdn"):  # another host: the token stays home
                self.assertNotIn("authorization", headers)
        for path in self.dir.rglob("*.json"):
            self.assertNotIn("s3cret", path.read_text())
        self.assertNotIn("s3cret", self.err)

    def test_offline_uses_the_cache(self):
        data = noise(100_000, 1)
        self.cached(data)
        self.model("known", self.hub_file("f.gguf", data))
        self.model("unknown", self.hub_file("f.gguf", data, known=False))
        self.model("absent", self.hub_file("g.gguf", noise(100_000, 3)))
        offline = {"HF_HUB_OFFLINE": "1"}
        self.pull("known", "unknown", env=offline)
        self.assertEqual(self.content("unknown"), data)
        self.assertIn("offline", self.fails(UNAVAILABLE, "pull", "absent", env=offline))
        self.assertEqual(self.server.requests, [])

    def test_removal_leaves_what_others_put_into_the_cache(self):
        data = noise(100_000, 1)
        self.cached(data)
        self.model("m", self.hub_file("f.gguf", data))
        self.pull("m")
        code, out = self.tool("rm", "m")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(out)["freed_bytes"], 0)
        self.assertIn("another program", json.loads(out)["kept"][0])
        self.assertTrue((self.repo / "blobs" / sha(data)).exists())

    def test_removal_takes_what_the_store_put_into_the_cache(self):
        data = noise(100_000, 1)
        self.model("m", self.hub_file("f.gguf", data))
        self.pull("m")
        code, out = self.tool("rm", "m")
        self.assertEqual(json.loads(out)["freed_bytes"], len(data))
        self.assertFalse((self.repo / "blobs" / sha(data)).exists())
        self.assertEqual([p for p in (self.repo / "snapshots").rglob("*") if p.is_symlink()], [])

    def test_size_of_unknown_files_counts_for_the_disk_check(self):
        self.model("m", self.hub_file("f.gguf", noise(100_000, 1), known=False))
        free = 64 * 1024 * 1024 + 50_000
        self.fails(18, "pull", "m", env={"TOOL_FREE_BYTES": str(free)})
        self.assertEqual([r for r in self.server.requests if r[0] == "GET"], [])


if __name__ == "__main__":
    unittest.main()
