#!/usr/bin/env python3
"""Whole turns against their stages as separate processes, through the command line alone.

usage: turn_figures.py [--bin build/release/bin/sotto] [--clips testdata/clips] [--rounds 3] [--json]

Interleaved: each round runs every clip once each way. Prints medians, spread, peak resident memory of
the turn beside the sizes of the model files it uses, and what machine and revision this was."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

CLIPS = ["jfk", "goforward", "librivox_0880", "librivox_0920", "cards_005"]


def run(command):
    """Returns (stdout, wall seconds, peak resident MiB)."""
    started = time.monotonic()
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out = process.stdout.read()
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    if status:
        sys.exit(f"{' '.join(map(str, command))}: {error.decode().strip()}")
    return out.decode(), wall, usage.ru_maxrss / 1024


def separate(binary, clip, folder):
    """Recognition, reply and speech, each in a process of its own."""
    text, wall_asr, _ = run([binary, "transcribe", clip, "--json"])
    question = json.loads(text)["text"] or "Hello."
    reply, wall_llm, _ = run([binary, "run", question, "--temperature", "0", "--max-tokens", "160", "--json"])
    answer = json.loads(reply)["text"]
    _, wall_tts, _ = run([binary, "say", answer, "-o", folder / "separate.wav", "--json"])
    return wall_asr + wall_llm + wall_tts


def model_bytes(binary):
    """Bytes of the files of the models that a turn of the pack loads."""
    listed = json.loads(run([binary, "list", "--json"])[0])
    sizes = {model["id"]: model["size_bytes"] for model in listed["models"]}
    text = "sotto-text-mini" if os.environ.get("SOTTO_PACK") == "mini-en" else "sotto-text-small"
    used = (text, "whisper-base-q8_0", "silero-vad-v6", "piper-joe-en-us", "misaki-lexicon-en-us")
    return sum(sizes[name] for name in used)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin/sotto", type=pathlib.Path)
    parser.add_argument("--clips", default="testdata/clips", type=pathlib.Path)
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = {name: {"turn_s": [], "separate_s": [], "first_audio_ms": [], "rss_mib": []} for name in CLIPS}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for _ in range(arguments.rounds):
            for name in CLIPS:
                clip = arguments.clips / f"{name}.wav"
                out, wall, rss = run([arguments.bin, "turn", clip, "-o", folder / "turn.wav", "--json"])
                row = rows[name]
                row["turn_s"].append(wall)
                row["rss_mib"].append(rss)
                row["first_audio_ms"].append(json.loads(out)["waterfall"]["derived"]["ttfa_from_speech_end_ms"])
                row["separate_s"].append(separate(arguments.bin, clip, folder))
    version = json.loads(run([arguments.bin, "version", "--json"])[0])
    machine = json.loads(run([arguments.bin, "doctor", "--json"])[0])["machine"]
    result = {"revision": version.get("revision"), "machine": machine, "pack": os.environ.get("SOTTO_PACK", "default"),
              "rounds": arguments.rounds, "model_files_mib": model_bytes(arguments.bin) / 2**20,
              "peak_rss_mib": max(max(r["rss_mib"]) for r in rows.values()), "rows": rows}
    if arguments.json:
        print(json.dumps(result, indent=1))
        return
    print(f"revision {result['revision']}, {machine['processor']}, {machine['cores_usable']} cores, pack {result['pack']}")
    print(f"{'clip':16} {'turn s':>8} {'stages s':>9} {'ratio':>6} {'first audio ms':>15}")
    for name, row in rows.items():
        turn, stages = statistics.median(row["turn_s"]), statistics.median(row["separate_s"])
        first = [f for f in row["first_audio_ms"] if f is not None]
        print(f"{name:16} {turn:8.2f} {stages:9.2f} {turn / stages:6.2f} {statistics.median(first) if first else float('nan'):15.0f}")
    print(f"peak resident memory {result['peak_rss_mib']:.0f} MiB, model files {result['model_files_mib']:.0f} MiB")


if __name__ == "__main__":
    main()
