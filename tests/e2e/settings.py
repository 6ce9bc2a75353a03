"""Batch sizes, flash attention, types of the KV cache: perplexity stays within 0.5 % of the CPU's with the same settings."""

import unittest

import stock


class Settings(unittest.TestCase):
    def compare(self, extra, chunks):
        expected = stock.perplexity("q8_0", stock.CPU, extra, chunks)
        found = stock.perplexity("q8_0", stock.DEVICE, extra, chunks)
        print(f"{' '.join(extra)}: {found:.4f}, the CPU {expected:.4f} ({found / expected - 1:+.3%})", flush=True)
        self.assertLess(abs(found / expected - 1), 0.005)


def add(name, extra, chunks):
    setattr(Settings, f"test_{name}", lambda self: self.compare(extra, chunks))


for size in (1, 2, 7, 33, 512):
    add(f"batch_{size}", ["-b", "512", "-ub", str(size)], 2)  # of one chunk llama-perplexity gives no estimate now and then
for attention in ("on", "off"):
    for cache in ("f16", "q8_0", "q4_0"):
        # llama.cpp wants flash attention for a quantised V
        values = cache if attention == "on" else "f16"
        add(f"flash_attention_{attention}_cache_{cache}", ["-fa", attention, "-ctk", cache, "-ctv", values], 3)

if __name__ == "__main__":
    unittest.main(verbosity=2)
