#!/bin/bash
exec /usr/bin/python3 test/tools/gpu_check/parts.py
