"""Files are as their schemas say. usage: schemas.py FOLDER SCHEMA FILE [SCHEMA FILE ...]"""
import json
import pathlib
import sys

import jsonschema

folder = pathlib.Path(sys.argv[1])
for name, file in zip(sys.argv[2::2], sys.argv[3::2]):
    validator = jsonschema.Draft202012Validator(json.loads((folder / f"{name}.schema.json").read_text()))
    validator.check_schema(validator.schema)
    validator.validate(json.loads(pathlib.Path(file).read_text()))
