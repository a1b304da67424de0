#!/usr/bin/env python3
"""Word error rate of the clips in testdata, ours beside the CTranslate2 original of the same weights.

usage: wer_against_ct2.py [--bin SOTTO] [--base CT2_DIR] [--tiny CT2_DIR] [--clips DIR]

The original needs the Python package faster-whisper (1.2.1 was used) and the published CTranslate2
folders; without a folder its column is left out."""
import argparse
import json
import pathlib
import re
import subprocess

SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()


def words(text):
    text = re.sub(r"\bmr\b\.?", "mister", text.lower())
    text = re.sub(r"\b(\d+)\b", lambda m: SMALL[int(m[1])] if int(m[1]) < len(SMALL) else m[1], text)
    return re.sub(r"[^a-z0-9' ]+", " ", text.replace("-", " ")).split()


def edits(truth, heard):
    row = list(range(len(heard) + 1))
    for i, a in enumerate(truth, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(heard, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def ours(binary, clip, extra):
    out = subprocess.run([binary, "transcribe", clip, "--json", *extra], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)["text"]


def original(folder):
    from faster_whisper import WhisperModel  # the peer
    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)
    return lambda clip: " ".join(s.text for s in model.transcribe(str(clip), language="en", beam_size=5)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin/sotto")
    parser.add_argument("--base")
    parser.add_argument("--tiny")
    parser.add_argument("--clips", default="testdata/clips", type=pathlib.Path)
    args = parser.parse_args()
    columns = {"sotto best (base)": lambda clip: ours(args.bin, clip, []), "sotto fast (tiny.en)": lambda clip: ours(args.bin, clip, ["--fast"])}
    if args.base:
        columns["CTranslate2 base, beam 5"] = original(args.base)
    if args.tiny:
        columns["CTranslate2 tiny.en, beam 5"] = original(args.tiny)
    manifest = json.loads((args.clips / "manifest.json").read_text())
    for name, hear in columns.items():
        wrong = total = 0
        worst = []
        for entry in manifest:
            truth = words(entry["text"])
            error = edits(truth, words(hear(args.clips / entry["file"])))
            wrong, total = wrong + error, total + len(truth)
            if error:
                worst.append(f"{entry['file']} {error}")
        print(f"{name}: {wrong} of {total} words, WER {wrong / total:.3f} ({', '.join(worst)})")


if __name__ == "__main__":
    main()
