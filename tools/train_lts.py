#!/usr/bin/env python3
"""Trains the letter-to-sound model of src/text from a pronunciation lexicon.

  train_lts.py us_gold.json us_silver.json --cmudict cmudict.dict -o src/text/data/en_us_lts.bin [--hold-out 50]

The lexicon is that of the PyPI package misaki 0.9.4 (Apache-2.0), with words that only the CMU
pronouncing dictionary (BSD-2-Clause) has. Letters are aligned with phonemes
by expectation maximisation (one letter gives 0 to 2 phonemes), and a back-off model of sequences of
such pairs is counted, pruned and written as a trie. Deterministic; standard library only; minutes.
--hold-out N keeps every N-th word (by CRC) out of training and prints the accuracy on those.

File, little endian: "SLT1", u16 pairs, u8 order, u8 0; per pair: u8 letter, u8 length, 4 bytes of
phonemes; then per level 1..order: u32 count, and arrays over its entries: u16 pair, u8 probability
(-log, 1/16 nat), and below the last level u8 back-off (same unit) and u32 first child, with one more
u32 at the end. Level 1 has one entry per pair. Pair 0 is the start, pair 1 the end of a word.
"""
import argparse
import collections
import json
import math
import struct
import sys
import zlib

CODES = dict(zip("ˈˌəɹɪiuɑɔɛæʌʊɜᵊᵻɾŋʃʒθðʤʧʔɡɐ", "12@ryiuacE&^U3@ytGSZTHJCtg6"))
CODES.update({c: c for c in "AIOWYbdfhjklmnpstvwz"})
VOWELS = set("@yiuacE&^U36AIOWY")


def words(paths):
    seen = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for word, value in json.load(file).items():
                value = value if isinstance(value, str) else value.get("DEFAULT")
                key = word.lower()
                letters = key.isascii() and key.isalpha() and len(key) > 1
                if not value or not letters or any(c not in CODES for c in value):
                    continue
                if word.isupper() or (key in seen and word != key):
                    continue
                seen[key] = phones("".join(CODES[c] for c in value))
    return sorted((w, p) for w, p in seen.items() if len(p) <= 2 * len(w))


ARPABET = dict(zip("AA AE AO AW AY B CH D DH EH EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH".split(),
                   "a&cWIbCdHEAfghyiJklmnGOYprsStTUuvwjzZ"))


def add_cmudict(path, data):
    """Words that the other lexicons lack, many of them names."""
    known = {word for word, _ in data}
    with open(path, encoding="latin-1") as file:
        for line in file:
            fields = line.split("#")[0].split()
            if len(fields) < 2 or fields[0] in known or not (fields[0].isascii() and fields[0].isalpha()):
                continue
            out = []
            for name in fields[1:]:
                stress = name[-1] if name[-1] in "12" else ""
                base = name.rstrip("012")
                if base == "ER":
                    out += [stress + ("3" if stress else "@"), "r"]
                elif base == "AH":
                    out.append(stress + ("^" if stress else "@"))
                else:
                    out.append(stress + ARPABET[base])
            if len(fields[0]) > 1 and len(out) <= 2 * len(fields[0]):
                data.append((fields[0], out))
    return sorted(data)


def phones(coded):
    """Phonemes with their stress in front: '1&', 'p', '@', 'l'."""
    out, stress = [], ""
    for c in coded:
        if c in "12":
            stress = c
            continue
        out.append(stress + c if c in VOWELS else c)
        if c in VOWELS:
            stress = ""
    return out


def moves(word, pron, i, j):
    """What the letter i may give, once j phonemes are spent."""
    left = len(word) - i - 1
    for n in (0, 1, 2):
        if j + n <= len(pron) and len(pron) - j - n <= 2 * left:
            yield n, (word[i], tuple(pron[j:j + n]))


def prior(chunk):
    return (0.05, 1.0, 0.02)[len(chunk[1])]


def expect(data, table):
    counts = collections.defaultdict(float)
    for word, pron in data:
        n, m = len(word), len(pron)
        forward = [[0.0] * (m + 1) for _ in range(n + 1)]
        forward[0][0] = 1.0
        steps = []
        for i in range(n):
            row = forward[i + 1]
            for j in range(m + 1):
                if forward[i][j] == 0.0:
                    continue
                for k, chunk in moves(word, pron, i, j):
                    p = table.get(chunk, 1e-7) if table else prior(chunk)
                    row[j + k] += forward[i][j] * p
                    steps.append((i, j, j + k, chunk, p))
        total = forward[n][m]
        if total <= 0.0:
            continue
        backward = [[0.0] * (m + 1) for _ in range(n + 1)]
        backward[n][m] = 1.0
        for i, j, after, chunk, p in reversed(steps):
            mass = p * backward[i + 1][after]
            backward[i][j] += mass
            counts[chunk] += forward[i][j] * mass / total
    letters = collections.defaultdict(float)
    for (letter, _), c in counts.items():
        letters[letter] += c
    return {chunk: c / letters[chunk[0]] for chunk, c in counts.items() if c > 0.01}


def best(word, pron, table):
    n, m = len(word), len(pron)
    score = [[-1e30] * (m + 1) for _ in range(n + 1)]
    back = [[None] * (m + 1) for _ in range(n + 1)]
    score[0][0] = 0.0
    for i in range(n):
        for j in range(m + 1):
            if score[i][j] <= -1e29:
                continue
            for k, chunk in moves(word, pron, i, j):
                s = score[i][j] + math.log(table.get(chunk, 1e-9))
                if s > score[i + 1][j + k]:
                    score[i + 1][j + k] = s
                    back[i + 1][j + k] = (j, chunk)
    path, j = [], m
    for i in range(n, 0, -1):
        if back[i][j] is None:
            return None
        j, chunk = back[i][j]
        path.append(chunk)
    return path[::-1]


class Model:
    """Counts of pair sequences with interpolated Witten-Bell smoothing."""

    def __init__(self, aligned, order, keep):
        used = collections.Counter(c for path in aligned for c in path)
        self.pairs = [("^", ()), ("$", ())] + sorted(c for c, n in used.items() if n >= 3)
        self.ids = {c: i for i, c in enumerate(self.pairs)}
        self.order = order
        grams = [collections.Counter() for _ in range(order + 1)]
        for path in aligned:
            if any(c not in self.ids for c in path):
                continue
            seq = [0] * (order - 1) + [self.ids[c] for c in path] + [1]
            for end in range(order - 1, len(seq)):
                for n in range(1, order + 1):
                    gram = tuple(seq[end - n + 1:end + 1])
                    if n > 1 and gram[:2] == (0, 0):
                        break
                    grams[n][gram] += 1
        self.build(grams, keep)

    def build(self, grams, keep):
        total = sum(grams[1].values())
        self.prob = [None, {g: c / total for g, c in grams[1].items()}]
        for i in range(len(self.pairs)):
            self.prob[1].setdefault((i,), 1e-7)
        self.back = [None, {}]
        for n in range(2, self.order + 1):
            context, kinds = collections.Counter(), collections.Counter()
            for gram, c in grams[n].items():
                context[gram[:-1]] += c
                kinds[gram[:-1]] += 1
            level = {}
            for gram, c in grams[n].items():
                if c < keep[n] or (n > 2 and gram[:-1] not in self.prob[n - 1]):
                    continue
                h = gram[:-1]
                t = kinds[h]
                level[gram] = (c + t * self.value(gram[1:])) / (context[h] + t)
            self.prob.append(level)
            left = {h: [1.0, 1.0] for h in context}
            for gram, p in level.items():
                left[gram[:-1]][0] -= p
                left[gram[:-1]][1] -= self.value(gram[1:])
            self.back[n - 1] = {h: max(a, 1e-4) / max(b, 1e-4) for h, (a, b) in left.items()}
            self.back.append({})

    def value(self, gram):
        gram = gram[-self.order:]
        weight = 1.0
        while True:
            if gram in self.prob[len(gram)]:
                return weight * self.prob[len(gram)][gram]
            weight *= self.back[len(gram) - 1].get(gram[:-1], 1.0)
            gram = gram[1:]

    def write(self, path):
        # A context must exist as an entry of the level above it.
        for n in range(self.order, 2, -1):
            for gram in self.prob[n]:
                if gram[:-1] not in self.prob[n - 1]:
                    self.prob[n - 1][gram[:-1]] = self.value(gram[:-1])
        log = lambda p: min(255, max(0, round(-math.log(max(p, 1e-12)) * 16)))
        signed = lambda p: min(255, max(0, round(-math.log(max(p, 1e-12)) * 16) + 64))
        out = [b"SLT1", struct.pack("<HBB", len(self.pairs), self.order, 0)]
        for letter, chunk in self.pairs:
            text = "".join(chunk).encode()
            out.append(struct.pack("<BB", ord(letter), len(text)) + text.ljust(4, b"\0"))
        for n in range(1, self.order + 1):
            grams = sorted(self.prob[n])
            out.append(struct.pack("<I", len(grams)))
            out.append(b"".join(struct.pack("<H", g[-1]) for g in grams))
            out.append(bytes(log(self.prob[n][g]) for g in grams))
            if n == self.order:
                continue
            out.append(bytes(signed(self.back[n].get(g, 1.0)) for g in grams))
            children = collections.Counter(g[:-1] for g in self.prob[n + 1])
            first, offsets = 0, []
            for g in grams:
                offsets.append(first)
                first += children[g]
            out.append(struct.pack(f"<{len(offsets) + 1}I", *offsets, first))
        blob = b"".join(out)
        with open(path, "wb") as file:
            file.write(blob)
        return len(blob)


def decode(model, by_letter, word, beam=12):
    states = [((0,) * (model.order - 1), 0.0, ())]
    for letter in word:
        grown = {}
        for history, score, path in states:
            for pair in by_letter[letter]:
                s = score + math.log(model.value(history + (pair,)))
                key = history[1:] + (pair,)
                if key not in grown or s > grown[key][1]:
                    grown[key] = (key, s, path + (pair,))
        states = sorted(grown.values(), key=lambda t: -t[1])[:beam]
    ends = [(s + math.log(model.value(h + (1,))), p) for h, s, p in states]
    return [c for pair in max(ends)[1] for c in model.pairs[pair][1]]


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def evaluate(model, held):
    by_letter = collections.defaultdict(list)
    for i, (letter, _) in enumerate(model.pairs):
        if i > 1:
            by_letter[letter].append(i)
    errors = plain = size = right = right_plain = 0
    for word, pron in held:
        guess = decode(model, by_letter, word)
        bare = lambda p: [c.lstrip("12") for c in p]
        d, e = distance(guess, pron), distance(bare(guess), bare(pron))
        errors, plain, size = errors + d, plain + e, size + len(pron)
        right, right_plain = right + (d == 0), right_plain + (e == 0)
    n = max(len(held), 1)
    print(f"{n} held-out words: phoneme error {errors / size:.4f} ({plain / size:.4f} without stress), "
          f"words right {right / n:.4f} ({right_plain / n:.4f} without stress)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lexicon", nargs="+")
    parser.add_argument("--cmudict", help="cmudict.dict (BSD-2-Clause)")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--hold-out", type=int, default=0)
    parser.add_argument("--keep", default="2,3,4,4", help="least counts of the orders from 2")
    parser.add_argument("--limit", type=int, default=1500, help="held-out words to decode")
    args = parser.parse_args()
    data = words(args.lexicon)
    if args.cmudict:
        data = add_cmudict(args.cmudict, data)
    held = [d for d in data if args.hold_out and zlib.crc32(d[0].encode()) % args.hold_out == 0]
    rest = [d for d in data if not (args.hold_out and zlib.crc32(d[0].encode()) % args.hold_out == 0)]
    table = None
    sample = [d for d in rest if len(d[0]) <= 12][::6]
    for _ in range(4):
        table = expect(sample, table)
    aligned = [path for path in (best(w, p, table) for w, p in rest) if path]
    print(f"{len(data)} words, {len(aligned)} aligned", file=sys.stderr)
    keep = [0, 0] + [int(k) for k in args.keep.split(",")]
    model = Model(aligned, len(keep) - 1, keep)
    if held:
        evaluate(model, held[:args.limit])
    size = model.write(args.output)
    print(f"{len(model.pairs)} pairs, {[len(p) for p in model.prob[1:]]} entries, {size} bytes")


if __name__ == "__main__":
    main()
