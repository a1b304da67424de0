"""sotto pull, rm and verify against a server of our own.

PROMISES: P1, P2
"""
import hashlib
import json
import signal
import time
import unittest

from harness import CliCase  # also finds the store's server
from bad_server import BadServer


class Pull(CliCase):
    def setUp(self):
        super().setUp()
        self.server = BadServer()
        self.addCleanup(self.server.close)
        self.data = b"".join(hashlib.sha256(bytes([i % 256, i // 256])).hexdigest().encode() + b"\n"
                             for i in range(8000))
        self.env.update({"NO_PROXY": "*", "SOTTO_CATALOGUE": str(self.tmp / "catalogue.json"),
                         "HF_HUB_CACHE": str(self.tmp / "hub"), "HOME": str(self.tmp)})

    def offer(self, how, name="f.txt"):
        self.server.files[name] = self.data
        (self.tmp / "catalogue.json").write_text(json.dumps({"schema_version": 1, "models": [{
            "id": "m", "role": "lexicon", "architecture": "test", "lineage": {"base": "nobody/base"},
            "licence": {"id": "X-1", "url": "https://example.org/x", "notice": "Mind the terms."},
            "files": [{"name": name, "format": "text", "sha256": hashlib.sha256(self.data).hexdigest(),
                       "size_bytes": len(self.data), "sources": [self.server.url + how + "/" + name]}]}]}))

    def installed(self):
        return {m["id"]: m["installed"] for m in self.json("list", "--all")["models"]}["m"]

    def content(self):
        return (self.tmp / "store/models/m/f.txt").read_bytes()

    def events(self, *args):
        return [json.loads(line) for line in self.ok(*args, "--json").decode().splitlines()]

    def test_pull_tells_its_progress(self):
        self.offer("/ok")
        events = self.events("pull", "m")
        self.assertEqual(events[-1]["event"], "done")
        self.assertEqual(events[-1]["status"], "ok")
        self.assertIn("Mind the terms.", " ".join(e.get("text", "") for e in events))
        done = [e for e in events if e["event"] == "file_done"]
        self.assertEqual([(e["model"], e["file"]) for e in done], [("m", "f.txt")])
        self.assertEqual(self.content(), self.data)
        self.assertTrue(self.installed())
        asked = len(self.server.requests)
        self.ok("pull", "m")  # present: not fetched again
        self.assertEqual(len(self.server.requests), asked)

    def test_plain_lines_outside_a_terminal(self):
        self.offer("/ok")
        code, out, err = self.run_cli("pull", "m")
        self.assertEqual((code, out), (0, b""))
        self.assertIn("f.txt", err)
        self.assertIn("licence of m: X-1 (https://example.org/x): Mind the terms.", err)
        self.assertNotIn("\x1b", err)
        self.assertNotIn("\r", err)

    def test_what_is_installed_is_said(self):
        self.offer("/ok")
        self.ok("pull", "m")
        self.assertEqual(self.run_cli("pull", "m"), (0, b"", "m: is installed; nothing to fetch\n"))
        self.assertEqual([e.get("text") for e in self.events("pull", "m")],
                         ["m: is installed; nothing to fetch", None])

    def test_a_pull_without_a_network_tells_its_attempts_and_ends_soon(self):
        self.offer("/ok")
        entry = json.loads((self.tmp / "catalogue.json").read_text())
        entry["models"][0]["files"][0]["sources"] = ["http://127.0.0.1:9/f.txt"]
        (self.tmp / "catalogue.json").write_text(json.dumps(entry))
        code, out, err = self.run_cli("pull", "m")
        self.assertEqual((code, out), (4, b""), err)
        self.assertRegex(err, r"m  f\.txt  http://127\.0\.0\.1:9/f\.txt: no connection: .*: attempt 1 of 3; again in 0\.5 s\n")
        self.assertIn("check the network", err.splitlines()[-1])
        code, out, err = self.run_cli("pull", "m", "--json")
        told = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(e["event"], e.get("phase")) for e in told if e.get("phase") == "retry"],
                         [("notice", "retry")] * 2)

    def test_wrong_bytes_never_become_a_model(self):  # ^P1
        self.offer("/wrong")
        code, out, err = self.run_cli("pull", "m")
        self.assertEqual(code, 3, err)
        self.assertIn("f.txt", err)
        self.assertFalse(self.installed())
        self.assertFalse((self.tmp / "store/models/m").exists())

    def test_an_interrupted_pull_is_resumed(self):  # ^P2
        self.offer("/gate")
        process = self.start("pull", "m")
        self.assertTrue(self.server.half_sent.wait(30))
        # The half has been sent; it is on disk once the .part file is.
        parts = self.tmp / "store/tmp/parts"
        deadline = time.monotonic() + 30
        while not [p for p in parts.glob("*.part") if p.stat().st_size > 0]:
            self.assertLess(time.monotonic(), deadline)
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        _, err = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130, err)
        self.assertLess(time.monotonic() - started, 2.5)
        self.assertIn(b"goes on from here", err)
        self.assertFalse(self.installed())
        self.server.release()
        self.ok("pull", "m")
        self.assertEqual(self.content(), self.data)
        self.assertRegex(self.server.requests[-1][2].get("range", ""), r"bytes=[1-9]\d*-")

    def damage(self, data):
        real = (self.tmp / "store/models/m/f.txt").resolve()
        real.chmod(0o644)
        real.write_bytes(data)

    def test_verify_finds_damage_and_pull_mends_it(self):
        self.offer("/ok")
        self.ok("pull", "m")
        self.assertTrue(self.json("verify", "m")["ok"])
        flipped = bytes([self.data[0] ^ 1]) + self.data[1:]
        for data in (self.data[:-1], flipped, b""):
            self.damage(data)
            code, out, err = self.run_cli("verify", "--json")
            self.assertEqual(code, 3, err)
            self.assertFalse(json.loads(out)["ok"])
            code, out, err = self.run_cli("verify")
            self.assertIn(b"damaged  m  f.txt", out)
            self.assertIn("sotto pull m", err)
            self.ok("pull", "m")
            self.assertEqual(self.content(), self.data)
            self.assertTrue(self.json("verify", "m")["ok"])
        for data, args in ((self.data[:-1], ()), (flipped, ("--verify",))):  # nobody verified before
            self.damage(data)
            self.ok("pull", "m", *args)
            self.assertEqual(self.content(), self.data)
        asked = len(self.server.requests)
        self.ok("pull", "m", "--verify")
        self.assertEqual(len(self.server.requests), asked)

    def test_verify_finds_damage_and_rm_removes(self):
        self.offer("/ok")
        self.ok("pull", "m")
        self.damage(b"x" + self.data[1:])
        self.assertEqual(self.run_cli("verify", "--json")[0], 3)
        self.assertIn("m", self.json("rm", "m")["removed"])
        self.assertFalse(self.installed())
        self.assertEqual(self.run_cli("rm", "m")[0], 3)
        self.ok("pull", "m", "--verify")  # what is not here is no damage
        self.assertEqual(self.content(), self.data)


if __name__ == "__main__":
    unittest.main()
