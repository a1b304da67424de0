#!/usr/bin/env python3
"""No object of one instruction set defines a symbol that the linker may share with other code.

An inline function compiled with AVX2 is a weak symbol; if the linker keeps that copy, the plain
path runs AVX2 instructions. Usage: check_isa_objects.py <nm> <archive>
"""
import re
import subprocess
import sys

nm, archive = sys.argv[1:]
lines = subprocess.run([nm, "-C", archive], capture_output=True, text=True, check=True).stdout.splitlines()
member, objects, shared = "", 0, []
for line in lines:
    if line.endswith(":"):
        member = line[:-1]
        objects += bool(re.search(r"_(avx2|avx512|neon)\.cc\.", member))
    elif re.search(r"_(avx2|avx512|neon)\.cc\.", member) and re.search(r" [WVui] ", line):
        shared.append(f"{member}: {line.strip()}")
for line in shared:
    print(line)
print(f"{objects} objects, {len(shared)} shared symbols")
sys.exit(bool(shared) or objects == 0)
