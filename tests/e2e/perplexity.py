"""Perplexity over 64 KiB of tales is within 0.5 % of the CPU's, for the types that models come in."""

import unittest

import stock

KINDS = ("f16", "q8_0", "q4_0", "q4_K_M", "q5_K_M", "q6_K", "q2_K")


class Perplexity(unittest.TestCase):
    def compare(self, kind):
        expected = stock.perplexity(kind, stock.CPU)
        found = stock.perplexity(kind, stock.DEVICE)
        print(f"{kind}: {found:.4f}, the CPU {expected:.4f} ({found / expected - 1:+.3%})", flush=True)
        self.assertLess(abs(found / expected - 1), 0.005)


for kind in KINDS:
    setattr(Perplexity, f"test_{kind}", lambda self, k=kind: self.compare(k))

if __name__ == "__main__":
    unittest.main(verbosity=2)
