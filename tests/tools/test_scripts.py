#!/usr/bin/env python3
"""tools/demo, tools/test and what they share: usage, failure lines, the lock, missing packages."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "third_party").mkdir()
        (self.root / "third_party" / "debian-packages.txt").write_text("# x\nhere build\ngone build\nlater test\n")
        (self.root / "bin").mkdir()
        self.env = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}

    def command(self, name, text):
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def shell(self, text, **options):
        return subprocess.run(["sh", "-euc", f"me=demo; . {TOOLS}/common.sh; {text}"], cwd=self.root, env=self.env,
                              capture_output=True, text=True, timeout=60, check=False, **options)

    def last(self, result):
        return result.stderr.strip().splitlines()[-1]

    def test_usage_errors_are_one_line(self):
        for tool, arguments in (("demo", ["--pcak", "x"]), ("demo", ["--pack"]), ("test", ["--fast"]),
                                ("test", ["--quick", "--all"]), ("demo", ["--clip", "none.wav"])):
            result = subprocess.run([str(TOOLS / tool), *arguments], capture_output=True, text=True,
                                    timeout=60, check=False)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(f"{tool}: failed: ", result.stderr)

    def test_a_failing_command_is_named_with_its_telling_line(self):
        result = self.shell("run step sh -c 'echo before; echo a.cc:3: error: no such thing; echo after; exit 7' || "
                            'die "step: $? $(reason "$run_log")"')
        self.assertEqual(result.returncode, 1)
        self.assertIn("demo: failed: step: 7 a.cc:3: error: no such thing (log: build/logs/step.log)", result.stderr)

    def test_only_missing_packages_of_the_group_are_installed(self):
        self.command("dpkg-query", f'[ "$4" = here ] || [ -e {self.root}/done ] && echo "install ok installed"; exit 0')
        self.command("dpkg", "exit 0")
        self.command("id", "echo 0")
        self.command("apt-get", f'echo "$@" >> {self.root}/apt; touch {self.root}/done')
        result = self.shell("packages build; packages build")
        self.assertEqual(result.returncode, 0, result.stderr)
        installs = [line for line in (self.root / "apt").read_text().splitlines() if " install " in line]
        self.assertEqual(len(installs), 1)
        self.assertTrue(installs[0].endswith("--no-install-recommends gone"), installs[0])

    def test_without_root_the_command_to_run_is_said(self):
        self.command("dpkg-query", "exit 1")
        self.command("id", "echo 1000")
        result = self.shell("packages build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("run: apt-get install --no-install-recommends here gone", self.last(result))

    def test_a_failing_apt_is_tried_again_and_then_named(self):
        self.command("dpkg-query", "exit 1")
        self.command("dpkg", "exit 0")
        self.command("id", "echo 0")
        self.command("apt-get", f"echo x >> {self.root}/tries; echo 'E: Failed to fetch: no route'; exit 100")
        result = self.shell("packages build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("E: Failed to fetch: no route", self.last(result))

    def test_the_lock_outlives_a_killed_run_with_what_it_started(self):
        # `cat` is what the killed run leaves: it ends when its input does.
        first = subprocess.Popen(["sh", "-c", f"me=demo; . {TOOLS}/common.sh; lock_tree; exec 3<&0; cat <&3 & "
                                  "echo ready; wait"],
                                 cwd=self.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(first.stdout.readline(), "ready\n")
        first.kill()
        with subprocess.Popen(["sh", "-c", f"me=demo; . {TOOLS}/common.sh; lock_tree; say mine"], cwd=self.root,
                              stderr=subprocess.PIPE, text=True) as second:
            self.assertIn("waiting for it", second.stderr.readline())
            first.stdin.close()
            self.assertEqual(second.stderr.readline(), "demo: mine\n")
        first.wait()
        first.stdout.close()

    def test_half_a_configuration_is_made_again(self):
        self.command("cmake", f'echo x >> {self.root}/calls; [ $(wc -l < {self.root}/calls) -ge 2 ]')
        (self.root / "build/dev").mkdir(parents=True)
        (self.root / "build/dev/CMakeCache.txt").write_text("half")
        result = self.shell("configure dev")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse((self.root / "build/dev/CMakeCache.txt").exists())


if __name__ == "__main__":
    unittest.main()
