"""Checks the JSON files of a plan against the published schemas: SCHEMAS PLAN."""

import json
import pathlib
import sys

import jsonschema

schemas, plan = map(pathlib.Path, sys.argv[1:])


def check(schema, files):
    validator = jsonschema.Draft202012Validator(
        json.loads((schemas / schema).read_text())
    )
    validator.check_schema(validator.schema)
    for file in files:
        for error in validator.iter_errors(json.loads(file.read_text())):
            sys.exit(f"{file}: {error.json_path}: {error.message}")
        print(f"{file}: ok")


check("plan.schema.json", [plan / "plan.json"])
check("program.schema.json", sorted(plan.glob("**/program.json")))
check("launches.schema.json", sorted(plan.glob("kernels.*.json")))
check("gpu.schema.json", sorted(plan.glob("**/gpu*.json")))
