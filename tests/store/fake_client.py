#!/usr/bin/env python3
"""Stands in for `python3 -m pip download` and `npm pack`.

FAKE_PACKAGES: a folder with NAME-VERSION.whl and NAME-VERSION.tgz. FAKE_LOG: a file that gets one
line per call. FAKE_PID: a file for the process id when hanging. FAKE_MODE: ok, no-pip, not-found, no-space, no-network, busy (twice), empty, slow (ends a second after the package is there),
hang (until killed).
"""
import os
import shutil
import sys
import time

mode = os.environ.get("FAKE_MODE", "ok")
spec = sys.argv[-1]
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(spec + "\n")
if mode == "no-pip":
    sys.exit("/usr/bin/python3: No module named pip")
if mode == "not-found":
    sys.exit("ERROR: No matching distribution found for " + spec)
if mode == "no-space":
    sys.exit("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device")
if mode == "no-network":
    print("WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(...)'")
    sys.exit("ERROR: No matching distribution found for " + spec)
if mode == "busy" and open(os.environ["FAKE_LOG"]).read().count(spec + "\n") <= 2:
    sys.exit("ERROR: HTTP error 503 while getting " + spec)
if mode == "empty":
    sys.exit(0)
if mode == "hang":
    if "FAKE_PID" in os.environ:
        with open(os.environ["FAKE_PID"], "w") as f:
            f.write(str(os.getpid()))
    parent = os.getppid()
    for _ in range(600):
        if os.getppid() != parent or parent == 1:  # killed, now or before we looked
            break
        time.sleep(0.05)
    sys.exit(1)
pypi = "==" in spec
name, version = spec.split("==") if pypi else spec.rsplit("@", 1)
out = sys.argv[sys.argv.index("-d" if pypi else "--pack-destination") + 1]
archive = "%s-%s%s" % (name.replace("/", "_"), version, ".whl" if pypi else ".tgz")
shutil.copy(os.path.join(os.environ["FAKE_PACKAGES"], archive), out)
if mode == "slow":
    time.sleep(1)
