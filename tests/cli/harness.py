"""What the tests of the command line share: running it, sounds, a folder."""
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import wave

SOTTO = os.environ["SOTTO_CLI"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "store"))


class CliCase(unittest.TestCase):
    """`empty_store`: whether the commands see a store without models."""
    empty_store = True

    def setUp(self):
        self.tmp = pathlib.Path(tempfile.mkdtemp(prefix="sotto-cli-"))
        self.addCleanup(shutil.rmtree, self.tmp, True)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("SOTTO_")}
        if self.empty_store:
            self.env["SOTTO_HOME"] = str(self.tmp / "store")
        else:
            self.env.update({k: v for k, v in os.environ.items() if k in ("SOTTO_HOME", "SOTTO_PACK")})

    def start(self, *args, env=(), **kwargs):
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([SOTTO, *map(os.fsencode, map(str, args))], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=dict(self.env, **dict(env)), **kwargs)

    def run_cli(self, *args, stdin=b"", env=(), timeout=240):
        """(exit code, stdout, stderr); a signal is a failure."""
        process = self.start(*args, env=env, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(stdin, timeout=timeout)
        finally:
            process.kill()
        self.assertGreaterEqual(process.returncode, 0, f"killed by a signal: {args}")
        return process.returncode, out, err.decode("utf-8", "replace")

    def ok(self, *args, **kwargs):
        code, out, err = self.run_cli(*args, **kwargs)
        self.assertEqual(code, 0, f"{args}: {err[-500:]}")
        return out

    def json(self, *args, **kwargs):
        """The one JSON document on stdout."""
        return json.loads(self.ok(*args, "--json", **kwargs).decode("utf-8", "strict"))

    def refused(self, expected, *args, says=(), **kwargs):
        """A call that must fail with this exit code and one line; the line."""
        code, out, err = self.run_cli(*args, **kwargs)
        self.assertEqual(code, expected, f"{args}: {err[-500:]!r}")
        self.assertEqual(err.count("\n"), 1, f"{args}: not one line: {err!r}")
        self.assertTrue(err.startswith("sotto: "), err)
        self.assertEqual(out, b"", args)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, err, args)
        return err

    def wav(self, name, samples, rate=16000):
        path = self.tmp / name
        with wave.open(str(path), "wb") as w:
            w.setnchannels(1), w.setsampwidth(2), w.setframerate(rate)
            w.writeframes(struct.pack(f"<{len(samples)}h", *(round(s * 32767) for s in samples)))
        return path

    def tone(self, name="tone.wav", seconds=0.5, rate=16000):
        return self.wav(name, [0.2 * math.sin(2 * math.pi * 440 * i / rate) for i in range(int(seconds * rate))], rate)

    def left_over(self):
        """Temporary files beside outputs."""
        return [p.name for p in self.tmp.iterdir() if ".tmp-" in p.name]


def read_wav(data_or_path):
    """(samples as int16, rate)"""
    with wave.open(str(data_or_path) if isinstance(data_or_path, (str, pathlib.Path)) else data_or_path, "rb") as w:
        raw = w.readframes(w.getnframes())
        return struct.unpack(f"<{len(raw) // 2}h", raw), w.getframerate()
