"""Pulls from servers that misbehave: right bytes or a typed error, never a wrong model."""
import unittest

from harness import (CANCELLED, DATA_LOSS, DENIED, NOT_FOUND, UNAVAILABLE, StoreCase, noise)


class Servers(StoreCase):
    def ranges(self):
        return [h.get("range") for _, _, h in self.server.requests]

    def test_plain(self):
        data = self.simple("/ok")
        report = self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(report["fetched_bytes"], len(data))
        self.assertEqual(self.left_over(), [])
        self.assertEqual(len(self.server.requests), 1)
        report = self.pull("m")  # installed: no request, nothing fetched
        self.assertEqual(report["fetched_bytes"], 0)
        self.assertEqual(len(self.server.requests), 1)

    def test_progress_and_licence_events(self):
        data = self.simple("/ok")
        self.models[0]["licence"] = {"id": "X-1", "url": "https://example.org/x",
                                     "notice": "Mind the terms."}
        self.pull("m")
        kinds = [e["event"] for e in self.events]
        self.assertEqual(kinds[0], "licence")
        self.assertIn("Mind the terms.", self.events[0]["text"])
        done = self.events[-1]
        self.assertEqual((done["event"], done["done_bytes"], done["all_total_bytes"]),
                         ("file_done", len(data), len(data)))
        for event in self.events[1:]:
            self.assertLessEqual(event["done_bytes"], event["total_bytes"])

    def test_case_078_truncated_bodies_are_resumed(self):
        data = self.simple("/cut-60000")
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.ranges(), [None, "bytes=60000-", "bytes=120000-", "bytes=180000-"])

    def test_no_body_at_all(self):
        self.simple("/dead")
        self.fails(UNAVAILABLE, "pull", "m")
        self.assertEqual(len(self.server.requests), 3)
        self.assert_nothing_usable()

    def test_server_that_cannot_resume(self):
        data = self.simple("/norange")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_announces_too_much(self):
        data = self.simple("/long-5000")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_announces_too_little(self):
        data = self.simple("/short-70000")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_goes_on_after_the_end(self):
        data = self.simple("/more")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_stall_is_noticed_and_resumed(self):
        data = self.simple("/stall")
        self.pull("m", env={"TOOL_STALL_MS": "300"})
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.ranges(), [None, "bytes=%d-" % (len(data) // 2)])

    def test_stall_for_ever(self):
        self.simple("/frozen")
        message = self.fails(UNAVAILABLE, "pull", "m",
                             env={"TOOL_STALL_MS": "200", "TOOL_ATTEMPTS": "2"})
        self.assertIn("stalled", message)

    def test_redirect(self):
        data = self.simple("/redirect")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_redirect_loop(self):
        self.simple("/loop")
        self.fails(UNAVAILABLE, "pull", "m", env={"TOOL_ATTEMPTS": "1"})
        self.assertLessEqual(len(self.server.requests), 12)

    def test_refused(self):
        for code in (401, 403):
            self.models.clear()
            self.simple("/code-%d" % code)
            message = self.fails(DENIED, "pull", "m")
            self.assertIn("HF_TOKEN", message)
            self.assertIn(str(code), message)
        self.assertEqual(len(self.server.requests), 2)  # asking again does not help

    def test_absent(self):
        self.simple("/code-404")
        self.assertIn("404", self.fails(NOT_FOUND, "pull", "m"))
        self.assertEqual(len(self.server.requests), 1)

    def test_busy_and_broken_servers_are_asked_again(self):
        for code in (429, 500, 503):
            self.models.clear()
            data = self.simple("/flaky-%d" % code, noise(5000, code), model_id="m%d" % code)
            self.pull("m%d" % code)
            self.assertEqual(self.content("m%d" % code), data)

    def test_broken_for_ever(self):
        for code in (416, 429, 500):
            self.models.clear()
            self.server.requests.clear()
            self.simple("/code-%d" % code)
            self.fails(UNAVAILABLE, "pull", "m")
            self.assertEqual(len(self.server.requests), 3)

    def test_416_for_a_part_that_is_no_beginning(self):
        data = self.simple("/ok", noise(1000, 2))
        self.make_part(noise(1000, 3) + b"too long")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def make_part(self, content):
        """What an earlier run might have left for the model m."""
        folder = self.dir / "tmp" / "parts"
        folder.mkdir(parents=True)
        part = folder / ("sha256-%s.part" % self.models[0]["files"][0]["sha256"])
        part.write_bytes(content)
        part.with_suffix(".part.json").write_text('{"recipe": "one source", "done": 0}')

    def test_range_answered_with_another(self):
        data = self.simple("/badrange")
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_file_that_changes_between_attempts(self):
        data = self.simple("/changed")
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertIn("if-range", self.server.requests[1][2])

    def test_case_075_wrong_bytes_never_become_a_model(self):
        self.simple("/wrong")
        message = self.fails(DATA_LOSS, "pull", "m")
        self.assertIn("sha256", message)
        self.assert_nothing_usable()
        self.assertEqual(self.parts(), [])  # and are not resumed

    def test_wrong_part_heals_in_one_run(self):
        data = self.simple("/ok")
        self.make_part(noise(50_000, 9))
        self.pull("m")
        self.assertEqual(self.content("m"), data)

    def test_next_source_when_one_fails(self):
        data = noise(50_000, 4)
        url = self.server.url
        self.model("m", self.file("f.gguf", data, url + "/code-404/f.gguf", url + "/wrong/f.gguf",
                                  url + "/code-403/f.gguf", url + "/ok/f.gguf"))
        report = self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertTrue(report["files"][0]["source"].endswith("/ok/f.gguf"))

    def test_every_reason_is_told_when_all_fail(self):
        url = self.server.url
        self.model("m", self.file("f.gguf", b"x" * 100, url + "/code-404/f.gguf",
                                  url + "/code-403/f.gguf"))
        message = self.fails(NOT_FOUND, "pull", "m")
        self.assertIn("404", message)
        self.assertIn("403", message)

    def test_nobody_listens(self):
        self.model("m", self.file("f.gguf", b"x", "http://127.0.0.1:9/f.gguf", "http://127.0.0.1:9/g.gguf"))
        self.assertIn("check the network", self.fails(UNAVAILABLE, "pull", "m", env={"TOOL_ATTEMPTS": "9"}))
        told = [e["text"] for e in self.events if e.get("phase") == "retry"]
        self.assertEqual(len(told), 5, told)  # no connection: three attempts each, not nine
        self.assertRegex(told[0], r"9/f\.gguf: no connection: .*: attempt 1 of 3; again in 0\.0 s$")
        self.assertRegex(told[2], r"9/f\.gguf: no connection: .*: trying http://127\.0\.0\.1:9/g\.gguf$")
        self.assertEqual({(e["model"], e["file"]) for e in self.events if e.get("phase") == "retry"}, {("m", "f.gguf")})

    def test_a_licence_is_told_once_with_its_models(self):
        for i, licence in enumerate(("MIT", "X-1", "MIT")):
            name = "f%d" % i
            self.model("m%d" % i, self.file(name, noise(100, i), self.server.url + "/ok/" + name), licence={"id": licence})
        self.pull("m0", "m1", "m2")
        told = [(e.get("model"), e["text"]) for e in self.events if e["event"] == "licence"]
        self.assertEqual(told, [(None, "licence of m0, m2: MIT"), ("m1", "licence of m1: X-1")])

    def test_what_is_installed_is_told(self):
        self.simple("/ok")
        self.pull("m")
        self.assertNotIn("note", [e["event"] for e in self.events])
        self.pull("m")
        self.assertEqual([e.get("text") for e in self.events], ["m: is installed; nothing to fetch"])

    def test_cancel_leaves_a_part_that_is_resumed(self):
        data = self.simple("/ok", noise(3_000_000, 5))
        self.fails(CANCELLED, "pull", "m", env={"TOOL_CANCEL_AT": "1"})
        self.assertEqual(len(self.parts()), 1)
        self.assert_nothing_usable()
        self.server.requests.clear()
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertRegex(self.ranges()[0], r"^bytes=[1-9]\d*-$")
        self.assertEqual(self.left_over(), [])

    def test_cancel_while_nothing_moves(self):
        self.simple("/gate")
        process = self.start("pull", "m", env={"TOOL_CANCEL_AT": "1", "TOOL_STALL_MS": "60000"})
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, CANCELLED)

    def test_proxy(self):
        # The server takes the absolute URL of a proxied request for a path.
        data = noise(1000, 6)
        self.model("m", self.file("f.gguf", data, "http://models.invalid/ok/f.gguf"))
        self.server.files["f.gguf"] = data
        self.pull("m", env={"http_proxy": self.server.url, "NO_PROXY": ""})
        self.assertEqual(self.server.requests[0][1], "http://models.invalid/ok/f.gguf")

    def test_validator_refuses(self):
        self.simple("/ok")
        message = self.fails(DATA_LOSS, "pull", "m", env={"TOOL_REJECT": "f.gguf"})
        self.assertIn("magic", message)
        self.assert_nothing_usable()
        self.assertEqual(self.left_over(), [])


if __name__ == "__main__":
    unittest.main()
