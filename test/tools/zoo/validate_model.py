"""Checks a JSON model against the published schema: SCHEMA MODEL."""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as schema, open(sys.argv[2], encoding="utf-8") as model:
    validator = jsonschema.Draft7Validator(json.load(schema))
    validator.check_schema(validator.schema)
    for error in validator.iter_errors(json.load(model)):
        sys.exit(f"{sys.argv[2]}: {error.json_path}: {error.message}")
