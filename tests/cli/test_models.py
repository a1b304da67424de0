"""The command line with the models of $SOTTO_PACK in $SOTTO_HOME."""
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from harness import SOTTO, CliCase, read_wav

QUESTION = "What is the capital of France?"


class WithModels(CliCase):
    empty_store = False

    def say(self, text, name="said.wav", *args):
        path = self.tmp / name
        self.ok("say", text, "-o", path, "--rate", "16000", *args)
        return path

    def test_say_reports_first_block_and_total(self):
        result = self.json("say", "The quick brown fox jumps over the lazy dog.", "-o", self.tmp / "a.wav")
        samples, rate = read_wav(self.tmp / "a.wav")
        self.assertAlmostEqual(len(samples) / rate, result["audio_seconds"], 3)
        self.assertGreater(result["audio_seconds"], 1)
        self.assertGreater(result["first_block_ms"], 0)
        self.assertLess(result["first_block_ms"], result["total_ms"])
        self.assertEqual(self.left_over(), [])
        self.assertTrue(self.json("say", "--list-voices")["voices"])

    def test_say_through_pipes(self):
        out = self.ok("say", "-", "-o", "-", stdin=b"Hello there.")
        samples, rate = self.stream(out)
        self.assertGreater(len(samples) / rate, 0.3)
        code, out, err = self.run_cli("say", "Hello there.", "-o", "-", "--json")
        self.assertEqual((code, out[:4]), (0, b"RIFF"))
        self.assertIn("audio_seconds", json.loads(err))
        with open(self.tmp / "file.wav", "wb") as f:  # lengths are right where they can be
            subprocess.run([SOTTO, "say", "Hello there.", "-o", "/dev/stdout"], stdout=f, env=self.env, check=True)
        samples, rate = read_wav(self.tmp / "file.wav")
        self.assertGreater(len(samples) / rate, 0.3)

        with open(self.tmp / "file.wav", "ab") as f:  # nothing but sound behind what was there
            subprocess.run([SOTTO, "say", "Hello there.", "-o", "-"], stdout=f, env=self.env, check=True)
        both = (self.tmp / "file.wav").read_bytes()
        self.assertEqual(both.count(b"RIFF"), 2)
        self.assertGreater(len(self.stream(both[both.rindex(b"RIFF"):])[0]) / rate, 0.3)

    def stream(self, data):
        """The samples of a WAV stream whose lengths are unknown."""
        self.assertEqual(data[36:40], b"data")
        fixed = data[:4] + (len(data) - 8).to_bytes(4, "little") + data[8:40] + (len(data) - 44).to_bytes(4, "little")
        return read_wav(io.BytesIO(fixed + data[44:]))

    def test_a_command_needs_only_the_models_of_its_roles(self):
        pack = self.env["SOTTO_PACK"]
        source = pathlib.Path(self.env["SOTTO_HOME"])
        here = self.tmp / "copy"
        for folder in ("models", "packs"):  # links: nothing here is written to
            shutil.copytree(source / folder, here / folder, symlinks=True)
        (here / "blobs").symlink_to(source / "blobs")
        role_of = {m["id"]: m["role"] for m in self.json("list", "--all")["models"]}
        models = next(p["models"] for p in self.json("list")["packs"] if p["id"] == pack)
        text = next(m for m in models if role_of[m] == "text")
        path = self.say("The quick brown fox jumps over the lazy dog.")
        for model in models:
            if role_of[model] not in ("asr", "vad"):
                shutil.rmtree(here / "models" / model)
        env = {"SOTTO_HOME": str(here)}
        self.assertIn("brown fox", self.ok("transcribe", path, env=env).decode().lower())
        self.assertTrue(self.json("vad", path, env=env)["spans"])
        self.refused(4, "run", "x", env=env, says=("sotto pull " + text, pack))

    def test_unknown_voice(self):
        self.refused(3, "say", "x", "--voice", "nobody-at-all", "-o", self.tmp / "x.wav", says="nobody-at-all")

    def test_transcribe_formats(self):
        path = self.say("The quick brown fox jumps over the lazy dog.")
        result = self.json("transcribe", path)
        self.assertIn("brown fox", result["text"].lower())
        self.assertEqual(result["text"], " ".join(s["text"] for s in result["segments"]))
        self.assertIn("brown fox", self.ok("transcribe", path).decode().lower())
        self.assertIn("brown fox", self.ok("transcribe", "-", stdin=path.read_bytes()).decode().lower())
        self.assertRegex(self.ok("transcribe", path, "-f", "srt").decode(),
                         r"^1\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}\n\w")
        self.assertRegex(self.ok("transcribe", path, "-f", "vtt").decode(),
                         r"^WEBVTT\n\n\d\d:\d\d:\d\d\.\d{3} --> \d\d:\d\d:\d\d\.\d{3}\n\w")
        self.assertEqual(self.ok("transcribe", path, "-f", "srt", "-o", self.tmp / "o.srt"), b"")
        self.assertTrue((self.tmp / "o.srt").read_text().startswith("1\n"))
        several = self.run_cli("transcribe", path, self.tmp / "absent.wav", "--json", "--fast")
        self.assertEqual(several[0], 3)
        self.assertEqual([("error" in r) for r in json.loads(several[1])["results"]], [False, True])
        silence = self.wav("silence.wav", [0.0] * 32000)
        self.assertEqual(self.json("transcribe", silence)["text"], "")
        note = f"sotto: transcribe: {silence}: no speech heard\n"
        for form, out in (("txt", b""), ("srt", b""), ("vtt", b"WEBVTT\n\n")):
            self.assertEqual(self.run_cli("transcribe", silence, "-f", form), (0, out, note))
        self.assertEqual(json.loads(self.ok("transcribe", silence, "-f", "json"))["segments"], [])
        self.assertEqual(self.ok("transcribe", silence, path, "--fast").count(b"\n"), 1)
        folder = self.tmp / "subtitles"
        folder.mkdir()
        self.assertEqual(self.ok("transcribe", silence, path, "-f", "vtt", "-o", folder, "--fast"), b"")
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["said.vtt", "silence.vtt"])
        self.assertEqual((folder / "silence.vtt").read_text(), "WEBVTT\n\n")
        self.assertIn("fox", (folder / "said.vtt").read_text())

    def test_vad_turn_score_speaker_embed(self):
        path = self.say("Somebody speaks here for a while.")
        spans = self.json("vad", path)["spans"]
        self.assertTrue(spans)
        self.assertLess(spans[0]["start_s"], spans[-1]["end_s"])
        score = self.json("turn-score", path)["probability"]
        self.assertTrue(0 <= score <= 1)
        matrix = self.json("speaker", path, path)["cosine"]
        self.assertAlmostEqual(matrix[0][1], 1, 3)
        e = self.json("embed", "A cat sits on the mat.", "A kitten rests on a rug.", "Shares fell on Monday.")["embeddings"]
        dot = lambda a, b: sum(x * y for x, y in zip(a, b))
        self.assertAlmostEqual(dot(e[0], e[0]), 1, 3)
        self.assertGreater(dot(e[0], e[1]), dot(e[0], e[2]))

    def test_run(self):
        result = self.json("run", QUESTION, "--temperature", 0, "--max-tokens", 8)
        self.assertTrue(result["text"].strip())
        self.assertIn(result["finish_reason"], ("stop", "length"))
        self.assertLessEqual(result["usage"]["completion_tokens"], 8)
        self.assertGreater(result["usage"]["prompt_tokens"], 0)
        self.assertGreater(result["timings"]["decode_tokens_per_s"], 0)
        again = self.ok("run", "-", "--temperature", 0, "--max-tokens", 8, stdin=QUESTION.encode()).decode()
        self.assertEqual(again.strip(), result["text"].strip())
        one = self.json("run", "Count.", "--temperature", 0, "--max-tokens", 1, "--no-primer")
        self.assertEqual(one["finish_reason"], "length")

    def test_run_beyond_the_context(self):
        code, out, err = self.run_cli("run", "alpha beta gamma " * 2000, "--ctx", 256, "--max-tokens", 4)
        self.assertIn(code, (3, 5), err)
        self.assertEqual((err.count("\n"), out), (1, b""), err)

    def test_turn(self):
        question = self.say(QUESTION)
        result = self.json("turn", question, "-o", self.tmp / "reply.wav")
        self.assertIn("capital of", result["transcript"].lower())
        self.assertTrue(result["reply"].strip())
        names = [c["name"] for c in result["waterfall"]["checkpoints"]]
        self.assertIn("asr-final", names)
        samples, rate = read_wav(self.tmp / "reply.wav")
        self.assertAlmostEqual(len(samples) / rate, result["audio_seconds"], 3)
        text = self.ok("turn", "--text", QUESTION, "--no-audio").decode()
        self.assertIn("reply", text)
        self.assertIn("llm-first-token", text)
        code, out, err = self.run_cli("turn", "-", "-o", "-", stdin=question.read_bytes())
        self.assertEqual((code, out[:4]), (0, b"RIFF"), err)
        self.assertIn("llm-first-token", err)
        silence = self.json("turn", self.wav("silence.wav", [0.0] * 48000), "-o", self.tmp / "s.wav")
        self.assertEqual((silence["transcript"], silence["reply"]), ("", ""))
        commit = [c["t_ms"] for c in silence["waterfall"]["checkpoints"] if c["name"] == "commit"]
        self.assertEqual(commit, [None])

    def test_listen_gives_partials_and_segments(self):
        path = self.say("The quick brown fox jumps over the lazy dog.")
        lines = [json.loads(line) for line in self.ok("listen", path, "--no-real-time", "--json").splitlines()]
        self.assertEqual(lines[-1]["type"], "done")
        self.assertIn("brown fox", " ".join(l["text"] for l in lines if l["type"] == "segment").lower())

    def test_interrupts_leave_things_whole(self):
        out = self.tmp / "long.wav"
        process = self.start("say", "word " * 2000, "-o", out)
        time.sleep(2)  # it loads, speaks and writes; the file has no name yet
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        _, err = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130, err)
        self.assertLess(time.monotonic() - started, 2.5)
        self.assertFalse(out.exists())
        self.assertEqual(self.left_over(), [])
        process = self.start("run", "Tell a very long story.", "--max-tokens", 4000, "--temperature", 1)
        os.read(process.stdout.fileno(), 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)

    def test_a_reader_that_leaves(self):
        process = self.start("run", "Tell a very long story.", "--max-tokens", 4000, "--temperature", 1)
        os.read(process.stdout.fileno(), 1)
        process.stdout.close()
        self.assertEqual(process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
