"""Every architecture that llama.cpp can make up a model of gives the CPU's answers, alone and split by tensors, and a saved
and reloaded model gives the same ones: the stock test-llama-archs, one test for each of its rows."""

import re
import subprocess
import unittest

import stock

# Weights and tokens are drawn: with a seed of its own each run would test another model.
SEED = "42"

ROW = re.compile(r"^\|\s*(\S+)\|\s*(.*?)\|\s*(\w+)\|(.*?)(?:\|(.*)\|)?$")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def table():
    """(exit status, [(architecture, device, configuration, what came of it)], log)"""
    done = subprocess.run([str(stock.BIN / "test-llama-archs"), "-s", SEED, "-v", "4"], env=stock.environment(stock.DEVICE),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=1100)
    rows = []
    for line in ESCAPES.sub("", done.stdout).splitlines():
        found = ROW.match(line)
        if found and found[1] != "Model" and not found[1].startswith("-"):
            rows.append((found[1], found[2], found[3], f"{found[4]} {found[5] or ''}".strip()))
    return done.returncode, rows, done.stderr


class Architecture(unittest.TestCase):
    def __init__(self, row, comparable):
        super().__init__("equals_the_cpu")
        self.row, self.comparable = row, comparable

    def __str__(self):
        return " ".join(self.row[:3])

    def equals_the_cpu(self):
        if not self.comparable:
            self.skipTest("its answers hold infinities: not even the CPU compares with itself")
        # OK (error) and OK; split by tensors nothing is saved. Where the program ends early the row has no answer.
        self.assertRegex(self.row[3], r"^OK \(\S+\)\s+(OK|SKIP)$")


class Program(unittest.TestCase):
    """What no row says."""

    def __init__(self, method, status, rows, log):
        super().__init__(method)
        self.status, self.rows, self.log = status, rows, log

    def ends_well(self):
        self.assertGreater(len(self.rows), 0, f"{stock.DEVICE} has done nothing:\n{self.log[-3000:]}")
        self.assertEqual(self.status, 0, self.log[-3000:])

    def stays_on_the_device(self):
        # Embeddings are looked up by the CPU; where they are the output's weights as well, llama.cpp may leave that there too.
        splits = [int(n) for n in re.findall(r"graph splits = (\d+)", self.log)]
        self.assertGreater(len(splits), 0)
        self.assertLessEqual(max(splits), 3, "an op went to the CPU; which one GGML_SCHED_DEBUG=2 test-llama-archs -v 5 tells")


def load_tests(_loader, _tests, _pattern):
    status, rows, log = table()
    # What llama.cpp itself leaves out is not ours to count, nor are the CPU's own rows.
    ours = [row for row in rows if ("Direct3D" in row[1] or row[1] == "Meta") and not row[3].startswith("SKIP")]
    odd = {(row[0], row[2]) for row in rows if row not in ours and "nan" in row[3]}
    tests = [Architecture(row, (row[0], row[2]) not in odd) for row in ours]
    tests += [Program(method, status, ours, log) for method in ("ends_well", "stays_on_the_device")]
    return unittest.TestSuite(tests)


if __name__ == "__main__":
    unittest.main(verbosity=2)
