"""The first 64 greedy tokens are the CPU's, for whole numbers of prompts and types."""

import unittest

import stock


class Greedy(unittest.TestCase):
    def compare(self, kind, number):
        prompt = stock.PROMPTS[number]
        expected = stock.complete(kind, prompt, stock.CPU)
        self.assertGreater(len(expected.strip()), 1, "the CPU says nothing")
        self.assertEqual(stock.complete(kind, prompt, stock.DEVICE), expected)


for kind in ("f16", "q8_0"):
    for number in range(len(stock.PROMPTS)):
        setattr(Greedy, f"test_{kind}_prompt_{number + 1}", lambda self, k=kind, n=number: self.compare(k, n))

if __name__ == "__main__":
    unittest.main(verbosity=2)
