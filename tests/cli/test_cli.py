"""The command line without models: usage, exit codes, one-line errors, pipes."""
import json
import os
import random
import re
import subprocess
import unittest

from harness import SOTTO, CliCase


class Usage(CliCase):
    def test_nothing_and_unknown(self):
        self.refused(2, says="--help")
        self.refused(2, "frobnicate", says="frobnicate")
        self.refused(2, "transcrib", says="`sotto transcribe`")
        self.refused(2, "--frobnicate", says="--frobnicate")
        self.refused(2, "", says="command")

    def test_missing_and_extra_arguments(self):
        for command in ("turn", "transcribe", "listen", "vad", "embed", "turn-score", "speaker", "pull", "show",
                        "rm", "bench", "completion"):
            self.refused(2, command, says=command)
        self.refused(2, "vad", "a.wav", "b.wav", says="b.wav")
        self.refused(2, "doctor", "now", says="now")
        self.refused(2, "say", "x", "--frobnicate", says="--frobnicate")

    def test_bad_values_of_options(self):
        for args, says in ((("run", "x", "--temperature", "hot"), ("--temperature", "hot", "0 to 2")),
                           (("run", "x", "--temperature", "2.5"), ("2.5", "0 to 2")),
                           (("run", "x", "--temperature", "-1"), ("-1", "0 to 2")),
                           (("run", "x", "--temperature", "nan"), ("nan",)),
                           (("run", "x", "--max-tokens", "0"), ("--max-tokens", "1")),
                           (("run", "x", "--max-tokens", "1.5"), ("whole",)),
                           (("run", "x", "--max-tokens", "99999999999999999999"), ("--max-tokens",)),
                           (("run", "x", "--seed", "-3"), ("--seed",)),
                           (("run", "x", "--ctx", "100"), ("--ctx",)),
                           (("say", "x", "-o", "y.wav", "--speed", "9"), ("--speed", "0.5 to 2")),
                           (("say", "x", "-o", "y.wav", "--rate", "100"), ("--rate",)),
                           (("transcribe", "x.wav", "-f", "doc"), ("--format", "srt")),
                           (("vad", "x.wav", "--threshold", "7"), ("--threshold",)),
                           (("list", "--threads", "many"), ("--threads",)),
                           (("list", "--log-level", "loud"), ("--log-level", "warning")),
                           (("bench", "soup"), ("soup", "asr")),
                           (("run", "x", "--temperature"), ("--temperature",))):
            self.refused(2, *args, says=says)

    def test_the_environment_mirrors_options(self):
        self.refused(2, "run", "x", env={"SOTTO_TEMPERATURE": "hot"}, says=("--temperature", "hot"))
        self.refused(2, "run", "x", env={"SOTTO_RUN_TEMPERATURE": "cold"}, says="cold")
        for env, says in (({"SOTTO_JSON": "maybe"}, ("$SOTTO_JSON", "maybe", "true", "off")),
                          ({"SOTTO_LIST_ALL": "2"}, ("$SOTTO_LIST_ALL", "2", "yes")),
                          ({"SOTTO_THREADS": "many"}, ("$SOTTO_THREADS", "many", "0 to 256")),
                          ({"SOTTO_LOG_LEVEL": "loud"}, ("$SOTTO_LOG_LEVEL", "loud", "warning"))):
            self.refused(2, "list", env=env, says=says)
        self.refused(3, "list", env={"SOTTO_OFFLINE": "maybe"}, says=("$SOTTO_OFFLINE", "maybe", "yes"))
        self.refused(3, "list", env={"SOTTO_CATALOGUE": "/no/such"}, says=("$SOTTO_CATALOGUE", "/no/such"))
        for value in ("1", "YES", "on", "true"):
            self.assertEqual(self.ok("list", env={"SOTTO_JSON": value})[:1], b"{")
        for value in ("0", "No", "off", "false", ""):
            self.assertEqual(self.ok("list", env={"SOTTO_JSON": value})[:1], b"p")
        self.ok("list", "--threads", "1", env={"SOTTO_THREADS": "many"})
        self.refused(4, "say", "x", "--best", "-o", self.tmp / "x.wav", env={"SOTTO_FAST": "1"}, says="sotto pull")
        self.refused(2, "say", "x", env={"SOTTO_FAST": "1", "SOTTO_BEST": "1"}, says="--best")
        help_text = self.ok("--help").decode()
        for name in ("HOME", "OFFLINE", "CATALOGUE", "ESPEAK_PLUGIN", "FORCE_ISA"):
            self.assertIn("SOTTO_" + name, help_text)
        # The command line wins; then the model is what is missing.
        self.refused(4, "run", "x", "--temperature", "0", env={"SOTTO_TEMPERATURE": "hot"})
        self.assertEqual(json.loads(self.ok("version", env={"SOTTO_JSON": "1"}))["version"][:2], "0.")
        self.assertEqual(json.loads(self.ok("list", "--json", env={"SOTTO_STORE": str(self.tmp / "s")}))["store"],
                         str(self.tmp / "s"))
        self.assertEqual(self.json("list", "--store", self.tmp / "t", env={"SOTTO_STORE": "/nowhere"})["store"],
                         str(self.tmp / "t"))

    def test_excluding_options(self):
        self.refused(2, "turn", "a.wav", "--text", "b", says="--text")
        self.refused(2, "turn", "--text", " ", says="empty")
        self.refused(2, "turn", "--text", "b", "--fast", "--best", says="--best")
        self.refused(2, "transcribe", "a.wav", "b.wav", "-o", "c.txt", says=("-o", "c.txt", "folder"))
        for form in ("srt", "vtt"):
            self.refused(2, "transcribe", "a.wav", "b.wav", "-f", form, says=("-o DIR", form))
        self.refused(2, "transcribe", "x/a.wav", "y/a.flac", "-o", self.tmp, says=("a.txt", "x/a.wav", "y/a.flac"))
        self.refused(2, "listen", "a.wav", "--device", "x", says="--device")

    def test_empty_text(self):
        for text in ("", " \n\t"):
            self.refused(2, "say", text, "-o", self.tmp / "e.wav", says="empty")
            self.refused(2, "run", text, says="empty")
        self.refused(2, "run", "-", says="empty")
        self.refused(2, "say", "-", "-o", self.tmp / "e.wav", says="empty")
        self.assertFalse((self.tmp / "e.wav").exists())

    def test_help_and_version(self):
        self.assertIn(b"transcribe", self.ok("--help"))
        self.assertIn(b"transcribe", self.ok("help"))
        self.assertIn(b"--max-tokens", self.ok("run", "--help"))
        self.assertRegex(self.ok("--version"), rb"^sotto 0\.\d+\.\d+\n$")
        self.assertIn("revision", self.json("version"))
        self.assertEqual(self.ok("--json", "version")[:1], b"{")  # before the command too

    def test_a_word_that_is_a_command_is_text(self):
        self.refused(4, "run", "list", says="sotto pull")
        self.refused(4, "say", "show", "-o", self.tmp / "x.wav", says="sotto pull")

    def test_completion_names_commands_and_options(self):
        script = self.ok("completion", "bash").decode()
        self.assertIn("transcribe", script)
        self.assertIn("--max-tokens", script)
        p = subprocess.run(["bash", "-c", script + "\nCOMP_WORDS=(sotto tran); COMP_CWORD=1; _sotto; echo ${COMPREPLY[@]}"],
                           capture_output=True, text=True)
        self.assertEqual(p.stdout.strip(), "transcribe", p.stderr)


class BadInput(CliCase):
    def test_files_that_are_no_sound(self):
        rng = random.Random(11)
        tone = self.tone().read_bytes()
        files = {"empty.wav": b"", "text.wav": b"hello, I am not a wave file\n" * 9, "cut.wav": tone[:30],
                 "lies.wav": b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0data\xff\xff\xff\xff",
                 "noise.flac": rng.randbytes(5000), "zip.mp3": b"PK\x03\x04" + rng.randbytes(900)}
        for name, data in files.items():
            (self.tmp / name).write_bytes(data)
            for command in ("transcribe", "vad", "turn", "listen", "turn-score", "speaker"):
                self.refused(3, command, self.tmp / name, says=name)

    def test_sounds_without_a_sample(self):
        path = self.wav("nothing.wav", [])
        for command in ("vad", "turn-score", "speaker"):
            self.refused(3, command, path, says=("nothing.wav", "empty"))
        self.refused(3, "vad", "-", stdin=path.read_bytes(), says="empty")

    def test_files_that_are_not_there(self):
        self.refused(3, "transcribe", self.tmp / "absent.wav", says="absent.wav")
        self.refused(3, "transcribe", self.tmp, says=str(self.tmp))
        self.refused(3, "vad", "/proc/self/mem")

    def test_outputs_are_tried_before_the_work(self):
        for out in ("/proc/none/x.wav", self.tmp / "no" / "folder.wav", self.tmp):
            self.refused(3, "say", "x", "-o", out, says=str(out))
            self.refused(3, "turn", "--text", "x", "-o", out, says=str(out))
            self.refused(3, "transcribe", self.tone(), "-o", out, says=str(out))
        self.assertEqual(self.left_over(), [])

    def test_an_input_is_not_replaced_by_its_output(self):
        tone = self.tone()
        before = tone.read_bytes()
        alias = self.tmp / "alias.wav"
        alias.symlink_to(tone)
        for out in (tone, alias):
            self.refused(2, "transcribe", tone, "-o", out, says=str(out))
            self.refused(2, "turn", tone, "-o", out, says=str(out))
        self.assertEqual(tone.read_bytes(), before)

    def test_errors_are_one_line_of_utf8(self):
        name = os.fsdecode(b"caf\xe9\nna\tme")
        for call in (("transcribe", name), ("list", "--pack", name), (name,), ("show", name)):
            code, _, _ = self.run_cli(*call)
            process = self.start(*call)
            err = process.communicate(timeout=60)[1]
            self.assertIn(code, (2, 3, 4), call)
            self.assertEqual(err.decode("utf-8", "strict").count("\n"), 1, call)

    def test_text_that_is_not_utf8(self):
        bad = os.fsdecode(b"caf\xe9")
        self.refused(3, "say", bad, "-o", self.tmp / "x.wav", says="UTF-8")
        self.refused(3, "run", bad, says="UTF-8")
        self.refused(3, "embed", bad, says="UTF-8")
        self.refused(3, "turn", "--text", bad, says="UTF-8")
        self.refused(3, "run", "-", stdin=b"\xff\xfe", says="UTF-8")
        self.refused(3, "run", os.fsdecode(b"\xed\xa0\x80"), says="UTF-8")  # a surrogate

    def test_names_that_are_not_known(self):
        self.refused(3, "show", "mini-enn", says="mini-en")
        self.refused(3, "pull", "no-such-model", says="no-such-model")
        self.refused(3, "rm", "no-such-model", says="no-such-model")
        self.refused(3, "run", "x", "--model", "no-such-model", says="no-such-model")
        self.refused(3, "run", "x", "--model", self.tmp / "absent.gguf", says="absent.gguf")
        self.refused(3, "list", "--pack", "no-such-pack", says="no-such-pack")

    def test_models_that_are_none(self):
        for name, data in {"zero.gguf": b"", "magic.gguf": b"GGUX" + bytes(64), "cut.gguf": b"GGUF\x03\0\0",
                           "noise.gguf": b"GGUF" + random.Random(13).randbytes(4096)}.items():
            (self.tmp / name).write_bytes(data)
            self.refused(3, "run", "hi", "--model", self.tmp / name, says=name)


class NotAvailable(CliCase):
    def test_a_store_without_models_says_what_to_pull(self):
        tone = self.tone()
        for args in (("run", "x"), ("say", "x", "-o", self.tmp / "o.wav"), ("transcribe", tone), ("vad", tone),
                     ("embed", "x"), ("turn", tone), ("turn", "--text", "x"), ("turn-score", tone), ("speaker", tone),
                     ("listen", tone), ("say", "--list-voices"), ("bench", "vad")):
            self.refused(4, *args, says="sotto pull")
        self.assertFalse((self.tmp / "o.wav").exists())
        self.assertEqual(self.left_over(), [])

    def test_no_sound_device(self):
        code, _, err = self.run_cli("say", "x", "--play")
        # With a device it is the model that is missing.
        self.assertEqual(code, 4, err)
        self.assertEqual(err.count("\n"), 1, err)
        code, _, err = self.run_cli("listen", "--device", "default")
        self.assertEqual((code, err.count("\n")), (4, 1), err)

    def test_doctor_and_list_work_without_models(self):
        report = self.json("doctor")
        self.assertIn("checks", report)
        self.assertIn("error", [c["status"] for c in report["checks"]])
        self.assertIn(b"sotto pull", self.ok("doctor"))
        self.assertIn("mini-en", [p["id"] for p in self.json("list")["packs"]])
        self.assertIn(b"mini-en", self.ok("list"))
        self.assertIn("lineage", self.json("show", "mini-en"))
        self.assertIn(b"lineage", self.ok("show", "mini-en"))
        self.assertIn(b"(* installed)", self.ok("list"))
        unknown = {m["id"] for m in self.json("list")["models"] if m["size_bytes"] == 0}
        self.assertTrue(unknown)
        for line in self.ok("list", "--all").decode().splitlines():
            if line[2:].split(" ")[0] in unknown:
                self.assertRegex(line, r"^  \S+ +\w+ +-  ")

    def test_show_has_one_column_of_values(self):
        for name in ("mini-en", "silero-vad-v6"):
            rows = [line for line in self.ok("show", name).decode().splitlines() if re.match(r" *(- )?\w+  +\S", line)]
            self.assertGreater(len(rows), 9)
            self.assertEqual(len({re.match(r" *(- )?\w+ +", row).end() for row in rows}), 1, rows)
        self.json("verify")


class Pipes(CliCase):
    def test_a_closed_stdout_is_no_error(self):
        for args in (("list", "--all"), ("--help",), ("doctor", "--json")):
            read, write = os.pipe()
            os.close(read)
            p = subprocess.run([SOTTO, *args], stdout=write, stderr=subprocess.PIPE, env=self.env)
            os.close(write)
            self.assertEqual((p.returncode, p.stderr), (0, b""), args)

    def test_a_full_disk_is_named(self):
        with open("/dev/full", "wb") as full:
            p = subprocess.run([SOTTO, "version"], stdout=full, stderr=subprocess.PIPE, env=self.env)
        self.assertEqual(p.returncode, 5)
        self.assertIn(b"stdout", p.stderr)

    def test_no_colour_outside_a_terminal(self):
        for args in (("doctor",), ("list", "--all"), ("show", "mini-en")):
            self.assertNotIn(b"\x1b", self.ok(*args, env={"TERM": "xterm"}))

    def test_quiet_leaves_stderr_empty(self):
        self.assertEqual(self.run_cli("list", "-q")[2], "")


if __name__ == "__main__":
    unittest.main()
