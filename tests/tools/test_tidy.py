#!/usr/bin/env python3
"""tools/tidy: each rule fires on a bad sample, at its line, and is silent on the good one."""
import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "tidy"
LOADER = importlib.machinery.SourceFileLoader("tidy", str(TOOL))
SPEC = importlib.util.spec_from_loader("tidy", LOADER)
tidy = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(tidy)

LONG_BODY = "  work();\n" * 70

# rule: [(path, bad text, line of the finding, good text)]
SAMPLES = {
    "layers": [
        ("src/text/a.cc", '#include "base/status.h"\n#include "engine/turn/turn.h"\n', 2, '#include "base/status.h"\n'),
        ("src/engine/turn/a.cc", '#include "backends/llama/llama_llm.h"\n', 1, '#include "models/llm.h"\n'),
        ("src/engine/turn/a.cc", '#include "engine/pipeline/edge.h"\n', 1, '#include "engine/turn/b.h"\n'),
        ("src/audio/a.h", '#include "text/utf8.h"\n', 1, '#include "kernels/pcm/pcm.h"\n'),
        ("src/backends/fake/a.cc", '#include "engine/turn/turn.h"\n', 1, '#include "models/asr.h"\n'),
        ("src/backends/onnx/a.cc", '#include "backends/llama/b.h"\n', 1, '#include "backends/onnx/b.h"\n'),
        ("src/kernels/a.cc", '#include "audio/ring.h"\n', 1, '#include "kernels/gate/b.h"\n'),
        ("src/engine/turn/a_test.cc", '#include "backends/onnx/b.h"\n', 1, '#include "backends/fake/b.h"\n'),
        ("src/base/a.cc", '#include "status.h"\n', 1, '#include "base/status.h"\n'),
        ("src/newlayer/a.cc", "int x;\n", 1, None),
    ],
    "public-headers": [
        ("include/sotto/a.h", "#include <stddef.h>\n#include <vector>\n", 2, '#include "sotto/status.h"\n'),
        ("include/sotto/a.h", '#include "base/status.h"\n', 1, "#include <stdint.h>\n"),
        ("src/models/a.h", '#include "sotto/status.h"\n', 1, '#include "base/status.h"\n'),
    ],
    "abi-only": [
        ("apps/cli/a.cc", '#include "base/status.h"\n', 1, '#include "sotto/sotto.h"\n#include "output.h"\n'),
        ("examples/a.c", '#include "engine/turn/turn.h"\n', 1, '#include "sotto/sotto.h"\n'),
        ("tests/abi/a_test.c", '#include "capi/guard.h"\n', 1, '#include "sotto/sotto.h"\n'),
    ],
    "third-parties": [
        ("src/engine/turn/a.cc", "#include <llama.h>\n", 1, "#include <vector>\n"),
        ("src/backends/onnx/a.cc", "#include <ggml.h>\n", 1, "#include <onnxruntime_c_api.h>\n"),
        ("include/sotto/a.hpp", "#include <nlohmann/json.hpp>\n", 1, "#include <string>\n"),
        ("src/text/a.cc", "#include <curl/curl.h>\n", 1, None),
    ],
    "relative-includes": [("src/text/a.cc", '#include "../engine/turn.h"\n', 1, '#include "text/utf8.h"\n')],
    "no-print": [
        ("src/text/a.cc", 'void F() {\n  std::printf("x");\n}\n', 2, 'void F() {\n  std::snprintf(b, 1, "printf(");\n}\n'),
        ("src/text/a.cc", "auto& out = std::cout;\n", 1, "// std::cout\n"),
    ],
    "no-exit": [
        ("src/text/a.cc", "void F() {\n  std::abort();\n}\n", 2, "void F() {\n  job.abort();\n}\n"),
        ("src/text/a.cc", "void F() {\n  exit(1);\n}\n", 2, "void F() {\n  OnExit(1);\n}\n"),
        ("src/text/a.cc", "void F() {\n  throw 1;\n}\n", 2, "void F() {\n  throw;\n}\n"),
    ],
    "file-length": [
        ("src/text/a.cc", "int x;\n" * 601, 1, "int x;\n" * 600),
        ("include/sotto/a.h", "int x;\n" * 401, 1, "int x;\n" * 400),
    ],
    "function-length": [
        ("src/text/a.cc", f"namespace a {{\nint B::F(int x) const {{\n{LONG_BODY}}}\n}}\n", 2,
         f"namespace a {{\nstruct S {{\n{'  int x;' * 80}\n}};\nint F() {{\n  return 1;\n}}\n}}\n"),
        ("src/text/a.cc", f"TEST(A, B) {{\n  for (;;) {{\n{LONG_BODY}  }}\n}}\n", 1,
         'const char* k[] = {\n' + '  "}", F(1),\n' * 90 + "};\n"),
        ("src/text/a.h", f"class A {{\n public:\n  int Get(int a,\n          int b) {{\n{LONG_BODY}  }}\n}};\n", 3, None),
    ],
    "parameter-count": [
        ("src/text/a.cc", "void F(int a, int b, int c, int d, int e, int f, int g) {\n}\n", 1,
         "void F(std::map<int, int> a, int b, int c, int d, int e, int f) {\n  G(1, 2, 3, 4, 5, 6, 7);\n}\n"),
    ],
    "ascii-sources": [("src/text/a.cc", 'auto s = "x";\nauto t = "\u00e9";\n', 2, 'auto t = "\\u00e9";\n')],
    "todo-address": [("src/text/a.cc", "// TODO: later\n", 1, "// TODO(#12): later\n")],
    "machine-paths": [("docs/a.md", "see /work/main/x\n", 1, "see src/x\n")],
    "skipped-tests": [("src/text/a_test.cc", "TEST(A, DISABLED_B) {}\n", 1, "TEST(A, B) {}\n")],
}


class RuleTest(unittest.TestCase):
    def found(self, rule, files, exceptions=""):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            (root / "tools").mkdir(exist_ok=True)
            (root / "tools" / "tidy.exceptions").write_text(exceptions)
            others = [name for name in tidy.RULES if name != rule]
            return list(tidy.findings(root, others))

    def test_every_rule_has_a_sample(self):
        own = {"promises", "dead-files", "debian-packages", "one-definition"}
        self.assertEqual(set(tidy.RULES), set(SAMPLES) | own)

    def test_samples(self):
        for rule, samples in SAMPLES.items():
            for path, bad, line, good in samples:
                with self.subTest(rule=rule, path=path, bad=bad[:60]):
                    found = self.found(rule, {path: bad})
                    self.assertEqual(len(found), 1, found)
                    self.assertTrue(found[0].startswith(f"{path}:{line}: {rule}: "), found[0])
                    if good is not None:
                        self.assertEqual(self.found(rule, {path: good}), [])

    def test_promise_without_test_and_test_without_promise(self):
        header = {"include/sotto/a.h": "// Stops ^S1. Waits ^S2.\n"}
        found = self.found("promises", {**header, "src/a_test.cc": "// PROMISE: S1\n// PROMISES: S9\n"})
        self.assertEqual([line.split(": ", 2)[2][:11] for line in found], ["promise ^S2", "^S9 is in n"])
        self.assertEqual(self.found("promises", {**header, "src/a_test.cc": "// PROMISES: S1, S2\n"}), [])

    def test_one_definition(self):
        a = "namespace sotto {\nstruct View {\n  int x;\n};\n}\n"
        for other in (a, "namespace sotto {\nclass View final : public Base<A, B> {\n};\n}\n",
                      "namespace sotto {\nenum class View : int { kA };\n}\n"):
            found = self.found("one-definition", {"src/audio/a.h": a, "src/text/b.h": other})
            self.assertEqual(len(found), 1, found)
            self.assertTrue(found[0].startswith("src/text/b.h:2: one-definition: sotto::View"), found[0])
        for fine in ("namespace sotto {\nnamespace {\nstruct View {};\n}\n}\n", "namespace sotto {\nstruct View;\n}\n",
                     "namespace sotto::text {\nstruct View {};\n}\n", "namespace sotto {\nvoid F() { struct View {}; }\n}\n",
                     "namespace sotto {\nclass A {\n  struct View {};\n};\n}\n"):
            self.assertEqual(self.found("one-definition", {"src/audio/a.h": a, "src/text/b.h": fine}), [], fine)
        test = "namespace sotto {\nstruct Row {};\n}\n"  # each test is a program
        self.assertEqual(self.found("one-definition", {"src/a/a_test.cc": test, "src/a/b_test.cc": test}), [])
        self.assertEqual(len(self.found("one-definition", {"src/a/a.h": test, "src/a/b_test.cc": test})), 1)

    def test_dead_files(self):
        cmake = {"src/text/CMakeLists.txt": "sotto_layer(text SOURCES utf8.cc HEADERS utf8.h)\n"}
        self.assertEqual(self.found("dead-files", {**cmake, "src/text/utf8.cc": "", "src/text/utf8.h": ""}), [])
        self.assertEqual(len(self.found("dead-files", {**cmake, "src/text/old_utf8.cc": ""})), 1)
        self.assertEqual(len(self.found("dead-files", {**cmake, "src/audio/utf8.cc": ""})), 1)
        self.assertEqual(len(self.found("dead-files", {**cmake, "src/text/old.h": ""})), 1)
        used = {"src/text/utf8.cc": '#include "text/old.h"\n', "src/text/old.h": ""}
        self.assertEqual(self.found("dead-files", {**cmake, **used}), [])

    def test_debian_packages(self):
        lock = {"third_party/deps.lock.json": '{"debian": [{"name": "git"}, {"name": "cmake"}]}'}
        listed = {"third_party/debian-packages.txt": "# x\ngit build\n"}
        self.assertEqual(len(self.found("debian-packages", {**lock, **listed})), 1)
        listed = {"third_party/debian-packages.txt": "git build\ncmake build\n"}
        self.assertEqual(self.found("debian-packages", {**lock, **listed}), [])

    def test_exceptions_apply_and_expire(self):
        bad = {"src/text/a.cc": "// TODO: later\n"}
        row = "todo-address src/text/a.cc waits for a name\n"
        self.assertEqual(self.found("todo-address", bad, row), [])
        unused = self.found("todo-address", {"src/text/a.cc": "\n"}, row)
        self.assertEqual(len(unused), 1)
        self.assertIn("needed no more", unused[0])
        with self.assertRaises(SystemExit):
            self.found("todo-address", bad, "todo-address src/text/a.cc\n")


if __name__ == "__main__":
    unittest.main()
