"""The catalogue and the packs agree with their schemas (the keywords that these use)."""
import json
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ["CATALOGUE_DIR"])
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name):
    if name in ("integer", "number"):
        numbers = int if name == "integer" else (int, float)
        return isinstance(value, numbers) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def errors(value, schema, root, where):
    """What is wrong with `value`, as lines."""
    if "$ref" in schema:
        target = root
        for key in schema["$ref"].lstrip("#/").split("/"):
            target = target[key]
        return errors(value, target, root, where)
    found = []
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(has_type(value, n) for n in names):
        return ["%s: not of type %s" % (where, names)]
    if "const" in schema and value != schema["const"]:
        found.append("%s: not %r" % (where, schema["const"]))
    if "enum" in schema and value not in schema["enum"]:
        found.append("%s: %r is none of %s" % (where, value, schema["enum"]))
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            found.append("%s: %r does not match %s" % (where, value, schema["pattern"]))
        if len(value) > schema.get("maxLength", len(value)):
            found.append("%s: too long" % where)
    if has_type(value, "number"):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            found.append("%s: %r out of range" % (where, value))
    for key, least in (("anyOf", 1), ("oneOf", 1)):
        if key in schema:
            fits = sum(not errors(value, s, root, where) for s in schema[key])
            if fits < least or (key == "oneOf" and fits > 1):
                found.append("%s: fits %d of %s" % (where, fits, key))
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append("%s: %d items" % (where, len(value)))
        for i, item in enumerate(value):
            found += errors(item, schema.get("items", {}), root, "%s[%d]" % (where, i))
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", {})
        for key in schema.get("required", []):
            if key not in value:
                found.append("%s: no %s" % (where, key))
        for key, item in value.items():
            if key in known:
                found += errors(item, known[key], root, where + "." + key)
            elif rest is False:
                found.append("%s: unknown key %s" % (where, key))
            else:
                found += errors(item, rest, root, where + "." + key)
    return found


def check(path, schema_path):
    schema = json.loads(schema_path.read_text())
    return errors(json.loads(path.read_text()), schema, schema, path.name)


class Schemas(unittest.TestCase):
    def test_catalogue(self):
        self.assertEqual(check(ROOT / "catalogue.json", ROOT / "schema.json"), [])

    def test_packs(self):
        packs = sorted(ROOT.glob("packs/*/manifest.json"))
        self.assertEqual([p.parent.name for p in packs], ["mini-en", "small-en"])
        for path in packs:
            self.assertEqual(check(path, ROOT / "pack.schema.json"), [])

    def test_the_checker_finds_faults(self):
        schema = json.loads((ROOT / "schema.json").read_text())
        catalogue = json.loads((ROOT / "catalogue.json").read_text())
        for change in ({"role": "cook"}, {"id": "A B"}, {"files": []}, {"surprise": 1},
                       {"min_memory_bytes": -1}):
            catalogue["models"][0] = dict(catalogue["models"][0], **change)
            self.assertTrue(errors(catalogue, schema, schema, ""), change)
            catalogue = json.loads((ROOT / "catalogue.json").read_text())

    def test_packs_keep_terms_out(self):
        """No model with terms of its own is in a pack."""
        models = {m["id"]: m for m in json.loads((ROOT / "catalogue.json").read_text())["models"]}
        for path in ROOT.glob("packs/*/manifest.json"):
            for entry in json.loads(path.read_text())["files"]:
                for licence in models[entry["model"]]["licence"]["id"].split(" AND "):
                    self.assertIn(licence, ("Apache-2.0", "MIT", "BSD-2-Clause"))


if __name__ == "__main__":
    unittest.main()
