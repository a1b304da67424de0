"""What the store's test scripts share: a server, a store in a fresh folder, the tool."""
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bad_server import BadServer  # noqa: E402

TOOL = os.environ["STORE_TOOL"]
HERE = pathlib.Path(__file__).resolve().parent

# Exit statuses of the tool: 10 + the code of the error.
(CANCELLED, INVALID, NOT_FOUND, DENIED, EXHAUSTED, PRECONDITION, UNIMPLEMENTED, UNAVAILABLE,
 DATA_LOSS) = (11, 13, 15, 17, 18, 19, 22, 24, 25)


def noise(size, seed):
    """Bytes that do not repeat, the same on every run."""
    out = bytearray()
    block = str(seed).encode()
    while len(out) < size:
        block = hashlib.sha256(block).digest()
        out += block
    return bytes(out[:size])


def sha(data):
    return hashlib.sha256(data).hexdigest()


class StoreCase(unittest.TestCase):
    def setUp(self):
        self.tmp = pathlib.Path(tempfile.mkdtemp(prefix="store-test-"))
        self.addCleanup(shutil.rmtree, self.tmp, True)
        self.server = BadServer()
        self.addCleanup(self.server.close)
        self.dir = self.tmp / "store"
        self.packages = self.tmp / "packages"
        self.packages.mkdir()
        self.models = []
        self.log = self.tmp / "clients.log"
        fake = HERE / "fake_client.py"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.tmp / "home"),
            "HF_HUB_CACHE": str(self.tmp / "hub"),
            "HF_ENDPOINT": self.server.url + "/hub",
            "NO_PROXY": "*",
            "SOTTO_CATALOGUE": str(self.tmp / "catalogue.json"),
            "TOOL_PYTHON": str(fake),
            "TOOL_NPM": str(fake),
            "FAKE_PACKAGES": str(self.packages),
            "FAKE_LOG": str(self.log),
        }
        for name in ("LSAN_OPTIONS", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.env[name] = os.environ[name]

    # --- the catalogue under test -------------------------------------------------------------
    def file(self, name, data, *sources, **extra):
        self.server.files[name] = data
        return dict({"name": name, "format": "gguf", "sha256": sha(data), "size_bytes": len(data),
                     "sources": list(sources)}, **extra)

    def model(self, model_id, *files, **extra):
        self.models.append(dict({
            "id": model_id, "role": "text", "architecture": "test",
            "lineage": {"base": "nobody/base-of-" + model_id}, "licence": {"id": "MIT"},
            "files": list(files)}, **extra))

    def simple(self, how, data=None, model_id="m", **extra):
        """A model of one file f.gguf from this server; returns its bytes."""
        data = noise(200_000, 1) if data is None else data
        self.model(model_id, self.file("f.gguf", data, self.server.url + how + "/f.gguf", **extra))
        return data

    def wheel(self, name, version, members):
        with zipfile.ZipFile(self.packages / f"{name}-{version}.whl", "w",
                             zipfile.ZIP_DEFLATED) as z:
            z.writestr("unrelated.txt", "x")
            for path, data in members.items():
                z.writestr(path, data)

    def tarball(self, name, version, members):
        with tarfile.open(self.packages / f"{name}-{version}.tgz", "w:gz") as t:
            for path, data in members.items():
                info = tarfile.TarInfo(path)
                info.size = len(data)
                t.addfile(info, io.BytesIO(data))

    # --- running ------------------------------------------------------------------------------
    def write_catalogue(self):
        # Renamed into place: a tool that was started before may be reading it.
        new = self.tmp / "catalogue.json.new"
        new.write_text(json.dumps({"schema_version": 1, "models": self.models}))
        new.replace(self.tmp / "catalogue.json")

    def start(self, *args, env=(), **kwargs):
        self.write_catalogue()
        return subprocess.Popen([TOOL, str(self.dir), *args], env=dict(self.env, **dict(env)),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)

    def tool(self, *args, env=(), **kwargs):
        process = self.start(*args, env=env, **kwargs)
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        self.events = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
        self.err = err
        return process.returncode, out.strip()

    def pull(self, *ids, env=(), **kwargs):
        """A pull that must work; its report."""
        code, out = self.tool("pull", *ids, env=env, **kwargs)
        self.assertEqual(code, 0, out + self.err[-2000:])
        return json.loads(out)

    def fails(self, expected, *args, env=(), **kwargs):
        """A call that must fail with this status; its message."""
        code, out = self.tool(*args, env=env, **kwargs)
        self.assertEqual(code, expected, out + self.err[-2000:])
        self.assertEqual(len(out.splitlines()), 1, out)
        return out

    # --- what is on disk ----------------------------------------------------------------------
    def content(self, model_id, name="f.gguf"):
        return (self.dir / "models" / model_id / name).read_bytes()

    def parts(self):
        return sorted(p.name for p in (self.dir / "tmp" / "parts").glob("*.part"))

    def left_over(self):
        """Everything under tmp that is not a folder, and temporary files anywhere."""
        return sorted(str(p.relative_to(self.dir)) for p in self.dir.rglob("*")
                      if (p.is_file() and (self.dir / "tmp") in p.parents) or ".tmp-" in p.name)

    def assert_nothing_usable(self, model_id="m"):
        self.assertFalse((self.dir / "models" / model_id / "receipt.json").exists())
        self.assertEqual([p for p in (self.dir / "blobs").glob("*")], [])
        self.fails(UNAVAILABLE, "resolve", model_id)
