#!/usr/bin/env python3
"""Compares our English phonemes with espeak-ng's over testdata/g2p_sentences.txt.

  eval_g2p.py --dump build/dev/bin/g2p_dump --gold us_gold.json --silver us_silver.json
              --cmudict cmudict.dict [--sentences FILE] [--worst N] [--json OUT]
  eval_g2p.py --wer build/dev/bin/sotto --plugin LIBSOTTO_ESPEAK [--limit N] [--model TTS]
              [--asr MODEL] [--json OUT]

The first form prints the phoneme error rate (edits over reference phonemes, spaces and punctuation
apart), without and with stress marks, against the espeak-ng on this machine (1.51 is what the
figures in the documentation were taken with). Both sides read the text after our normaliser, so
that only the phonemes differ; --raw lets espeak-ng read the lines as written.

The second speaks every sentence with `sotto say` and hears it with `sotto transcribe`, once with
our phonemes and once with espeak-ng's through its plug-in (environment SOTTO_ESPEAK_PLUGIN), and
prints the word error rate of both. Standard library only.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNITS = ("eɪ", "aɪ", "oʊ", "aʊ", "ɔɪ", "dʒ", "tʃ", "ɑː", "iː", "uː", "ɔː", "ɜː", "oː", "aː", "eː", "n̩")


class Espeak:
    """espeak-ng of this machine, clause by clause, punctuation apart."""

    def __init__(self):
        self.lib = ctypes.CDLL("libespeak-ng.so.1")
        self.lib.espeak_Initialize(2, 0, None, 0)
        self.lib.espeak_SetVoiceByName(b"en-us")
        self.lib.espeak_TextToPhonemes.restype = ctypes.c_char_p

    def phonemes(self, text):
        out = []
        for clause in re.split(r"(?<=[.,!?;:])\s+", text):
            pointer = ctypes.pointer(ctypes.c_char_p(clause.encode()))
            while pointer.contents.value:
                out.append((self.lib.espeak_TextToPhonemes(pointer, 1, 2) or b"").decode())
        return " ".join(out)


def phones(ipa, stress):
    """One string per phoneme; a stress mark goes in front of its vowel."""
    out, mark, i = [], "", 0
    while i < len(ipa):
        c = ipa[i]
        if c in "ˈˌ":
            mark = c
        elif c not in " .,!?;:_\n":
            unit = next((u for u in UNITS if ipa.startswith(u, i)), c)
            out.append((mark if stress else "") + unit)
            mark = ""
            i += len(unit)
            continue
        i += 1
    return out


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def run_lines(command, lines):
    result = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def phoneme_error(args, lines):
    spoken = run_lines([args.dump, args.gold, args.silver, args.cmudict, "--spoken"], lines)
    ours = run_lines([args.dump, args.gold, args.silver, args.cmudict, "--normalized"], spoken)
    espeak = Espeak()
    total = {False: [0, 0], True: [0, 0]}
    rows = []
    for line, text, mine in zip(lines, spoken, ours):
        reference = espeak.phonemes(line if args.raw else text)
        for stress in (False, True):
            a, b = phones(mine, stress), phones(reference, stress)
            total[stress][0] += edits(a, b)
            total[stress][1] += len(b)
        rows.append((edits(phones(mine, False), phones(reference, False)), line, mine, reference))
    for errors, line, mine, reference in sorted(rows, key=lambda r: -r[0])[:args.worst]:
        print(f"{errors:3} {line}\n    {mine}\n    {reference}")
    rate = {stress: e / max(n, 1) for stress, (e, n) in total.items()}
    print(f"{len(lines)} sentences, {total[False][1]} phonemes: PER {rate[False]:.4f}, with stress {rate[True]:.4f}")
    return {"sentences": len(lines), "per": rate[False], "per_with_stress": rate[True]}


def words(text):
    return re.findall(r"[a-z']+", text.lower().replace("’", "'"))


def spoken_words(args, lines):
    """The words of each line as they are said; as they are written without a dump program."""
    if not args.dump:
        return [words(line) for line in lines]
    command = [args.dump, args.gold, args.silver, args.cmudict, "--spoken"]
    return [words(line) for line in run_lines(command, [line.replace("\n", " ") or "." for line in lines])]


def heard(args, lines, plugin, folder):
    """What the recogniser hears of each line: one process a line speaks, one hears all."""
    environment = dict(os.environ)
    environment.pop("SOTTO_ESPEAK_PLUGIN", None)
    if plugin:
        environment["SOTTO_ESPEAK_PLUGIN"] = plugin
    files = [str(pathlib.Path(folder) / f"{index}.wav") for index in range(len(lines))]
    for line, out in zip(lines, files):
        say = [args.wer, "say", line, "-o", out, "--json", *(["--model", args.model] if args.model else [])]
        subprocess.run(say, env=environment, check=True, capture_output=True)
    hear = [args.wer, "transcribe", *files, "--json", *(["--model", args.asr] if args.asr else [])]
    return [row["text"] for row in json.loads(subprocess.run(hear, check=True, capture_output=True,
                                                             text=True).stdout)["results"]]


def word_error(args, lines):
    lines = lines[:args.limit]
    sides = {"ours": None, **({"espeak": args.plugin} if args.plugin else {})}
    result = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(len(sides)) as pool:
        folders = {name: pathlib.Path(folder) / name for name in sides}
        for each in folders.values():
            each.mkdir()
        texts = {name: pool.submit(heard, args, lines, plugin, folders[name]) for name, plugin in sides.items()}
        truth = spoken_words(args, lines)
        for name, future in texts.items():
            errors = size = 0
            for line, said, text, spoken in zip(lines, truth, future.result(), spoken_words(args, future.result())):
                # The recogniser may write numbers as digits: both readings of the truth count.
                both = [(edits(words(text), words(line)), len(words(line))), (edits(spoken, said), len(said))]
                e, n = min(both, key=lambda p: p[0] / max(p[1], 1))
                errors, size = errors + e, size + n
            result[name] = errors / max(size, 1)
            print(f"{name}: WER {result[name]:.4f} over {size} words of {len(lines)} sentences", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dump", help="the program g2p_dump")
    parser.add_argument("--gold", help="us_gold.json")
    parser.add_argument("--silver", help="us_silver.json")
    parser.add_argument("--cmudict", default="/dev/null", help="cmudict.dict")
    parser.add_argument("--sentences", default=ROOT / "testdata/g2p_sentences.txt")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--wer", metavar="SOTTO", help="the program sotto")
    parser.add_argument("--plugin", help="libsotto_espeak.so")
    parser.add_argument("--model", help="speech model for --wer")
    parser.add_argument("--asr", help="recognition model for --wer")
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--json", help="write the figures here")
    args = parser.parse_args()
    if not args.wer and not (args.dump and args.gold and args.silver):
        parser.error("--dump, --gold and --silver, or --wer")
    lines = [l for l in pathlib.Path(args.sentences).read_text(encoding="utf-8").splitlines() if l.strip()]
    result = word_error(args, lines) if args.wer else phoneme_error(args, lines)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
