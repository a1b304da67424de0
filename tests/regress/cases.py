#!/usr/bin/env python3
"""Where each public fault is tested: finds CaseNNN in the tests and checks README.md's table.

usage: cases.py           exit 1 and one line a fault when the table and the tests differ
       cases.py --write   writes the table anew
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = pathlib.Path(__file__).with_name("README.md")
# Groups of the acceptance list that the parts built so far touch.
GROUPS = {
    "A recognition": "1 2 3 5 6 7 9 11 13",
    "B voice detection and onset": "14 15 17 19",
    "C audio formats": "21 22 23 25 26",
    "E, F speech text": "39 42 43 45 46 47 49 50",
    "G speech audio": "51 53 54 55 57 58 59",
    "I model files": "69 70 71 73 74 75 77 78",
    "J, L, O sessions": "79 81 107 114 121 126 127 129 130",
    "K UTF-8": "90 91 93",
    "R in-process": "146 147 149 151 110",
}


def tests():
    """{case number: [file names]} of every test that names a case."""
    found = {}
    for folder in ("src", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path == pathlib.Path(__file__).resolve() or not re.search(r"(_test\.(cc|c|py)|_contract\.h|test_\w+\.py)$", path.name):
                continue
            for number in set(re.findall(r"[Cc]ase_?0*(\d+)", path.read_text(encoding="utf-8"))):
                found.setdefault(int(number), []).append(str(path.relative_to(ROOT)))
    return found


def table(found):
    lines = ["| group | case | tested in |", "|---|--:|---|"]
    for group, numbers in GROUPS.items():
        for number in map(int, numbers.split()):
            lines.append(f"| {group} | {number} | {', '.join(f'`{p}`' for p in found.get(number, [])) or '**nowhere**'} |")
    return "\n".join(lines) + "\n"


def main():
    found = tests()
    missing = [n for numbers in GROUPS.values() for n in map(int, numbers.split()) if n not in found]
    text = README.read_text(encoding="utf-8")
    begin = text.index("| group |")
    if "--write" in sys.argv:
        README.write_text(text[:begin] + table(found), encoding="utf-8")
    elif text[begin:] != table(found):
        print("tests/regress/README.md is not what the tests say; run tests/regress/cases.py --write")
        return 1
    for number in missing:
        print(f"case {number} is tested nowhere")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
