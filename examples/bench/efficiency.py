#!/usr/bin/env python3
"""Fits a machine's efficiencies to published times of products and convolutions.

usage: examples/bench/efficiency.py FILE --peak FLOPS --memory BYTES_PER_SECOND [--sheet NAME] [--element 4]

FILE is an .xlsx of github.com/baidu-research/DeepBench, results/train, or a .csv with columns m, n, k and GFLOPS, as
github.com/clMathLibraries/clBLAS has under doc/performance. What is fitted is what a machine's file says
(compiler/machine/README.md): a kernel of w flops takes (w + half_flops) / (peak * most) and ramp_seconds, or what its
bytes take at `--memory`, whichever is longer. Least squares of logarithms, so that a small kernel counts as much as a
large one. Printed: the numbers, and how far the times that they give are from the published ones.
"""

import argparse
import csv
import itertools
import math
import re
import sys
import xml.etree.ElementTree as xml
import zipfile

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def rows(path, sheet):
    """The cells of a sheet, a dictionary by column per row."""
    with zipfile.ZipFile(path) as book:
        shared = []
        if "xl/sharedStrings.xml" in book.namelist():
            for item in xml.fromstring(book.read("xl/sharedStrings.xml")):
                shared.append("".join(text.text or "" for text in item.iter(SPACE + "t")))
        names = [each.get("name") for each in xml.fromstring(book.read("xl/workbook.xml")).iter(SPACE + "sheet")]
        if sheet not in names:
            sys.exit(f"{path}: has no sheet \"{sheet}\"; it has {', '.join(names)}")
        # Sheets are numbered in the order in which the book names them.
        page = xml.fromstring(book.read(f"xl/worksheets/sheet{names.index(sheet) + 1}.xml"))
        for row in page.iter(SPACE + "row"):
            cells = {}
            for cell in row.iter(SPACE + "c"):
                value = cell.find(SPACE + "v")
                if value is None:
                    continue
                column = re.match(r"[A-Z]+", cell.get("r")).group()
                cells[column] = shared[int(value.text)] if cell.get("t") == "s" else value.text
            yield cells


class Kernel:
    def __init__(self, flops, elements, seconds):
        self.flops, self.elements, self.seconds = flops, elements, seconds


def product(m, n, k, seconds):
    return Kernel(2 * m * n * k, m * k + k * n + m * n, seconds)


def products_of(path):
    """Of a table with a rate for each size."""
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            m, n, k = (int(row[name]) for name in "mnk")
            yield product(m, n, k, 2 * m * n * k / (float(row["GFLOPS"]) * 1e9))


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def kernels(path, sheet):
    """Products and convolutions (forward and both gradients) of a file."""
    if path.endswith(".csv"):
        return list(products_of(path)), []
    products, convolutions, part = [], [], None
    for cells in rows(path, sheet):
        first = cells.get("A", "").strip()
        if first:
            part = {"Dense Matrix Multiplication": products, "Convolution": convolutions}.get(first)
            continue
        if part is products:
            m, n, k, milliseconds = (number(cells.get(column)) for column in "CDEI")
            if None not in (m, n, k, milliseconds):
                products.append(product(m, n, k, milliseconds / 1e3))
        elif part is convolutions:
            sizes = [number(cells.get(column)) for column in "CDEFGHIRS"]
            if None in sizes:
                continue
            width, height, channels, batch, filters, kernel_width, kernel_height, out_width, out_height = sizes
            weights = channels * filters * kernel_width * kernel_height
            flops = 2 * batch * out_width * out_height * weights
            elements = batch * (width * height * channels + out_width * out_height * filters) + weights
            for column in "NOP":
                milliseconds = number(cells.get(column))
                if milliseconds:
                    convolutions.append(Kernel(flops, elements, milliseconds / 1e3))
    return products, convolutions


def predicted(kernel, options, most, half, ramp):
    return max((kernel.flops + half) / (options.peak * most) + ramp, kernel.elements * options.element / options.memory)


def logs(found, options, fitted):
    return [math.log(predicted(kernel, options, *fitted) / kernel.seconds) for kernel in found]


def fit(found, options):
    """By a grid that is made finer around its best point."""
    def error(fitted):
        return sum(log * log for log in logs(found, options, fitted))

    best = (0.5, 1e8, 5e-6)
    for step in (4, 2, 1.4, 1.15, 1.05, 1.015):
        while True:
            # `most` moves less, since it is between 0 and 1; a ramp or half of nothing is tried, too.
            near = itertools.product(*[[value / root, value, value * root]
                                       for value, root in zip(best, (step ** 0.5, step, step))])
            tried = min(((min(most, 1.0), half, ramp) for most, half, ramp in near), key=error)
            if error(tried) >= error(best) * (1 - 1e-9):
                break
            best = tried
    for without in ((best[0], 0, best[2]), (best[0], best[1], 0)):
        if error(without) <= error(best) * 1.001:
            best = without
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--peak", type=float, required=True, help="flops per second")
    parser.add_argument("--memory", type=float, required=True, help="bytes per second that are reached")
    parser.add_argument("--sheet", default="Results FP32")
    parser.add_argument("--element", type=int, default=4, help="bytes; default %(default)s")
    options = parser.parse_args()
    for name, found in zip(("products", "convolutions"), kernels(options.file, options.sheet)):
        if not found:
            continue
        fitted = fit(found, options)
        errors = sorted(logs(found, options, fitted))
        mean = math.exp(sum(map(abs, errors)) / len(errors))
        print(f"{name}: {len(found)}; most {fitted[0]:.3g}, half_flops {fitted[1]:.3g}, ramp_seconds {fitted[2]:.3g}")
        print(f"  off by {mean - 1:.0%} in the mean; nine of ten between {math.exp(errors[len(errors) // 20]):.2f} and "
              f"{math.exp(errors[-1 - len(errors) // 20]):.2f} times the published time")


if __name__ == "__main__":
    main()
