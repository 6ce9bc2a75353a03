"""The first 64 greedy tokens are the CPU's, for prompts in two types."""

import unittest

import stock


def answers(kind, device):
    """Over HTTP: llama-completion may end before its log thread has printed the last words."""
    with stock.Server(kind, device, 1) as server:
        if device != stock.CPU:
            stock.on_device_only(server.log_text())
        return [server.complete(prompt, 64) for prompt in stock.PROMPTS]


class Greedy(unittest.TestCase):
    maxDiff = None

    def compare(self, kind):
        expected = answers(kind, stock.CPU)
        found = answers(kind, stock.DEVICE)
        for number, text in enumerate(expected):
            with self.subTest(stock.PROMPTS[number]):
                self.assertGreater(len(text), 1, "the CPU says nothing")
                self.assertEqual(found[number], text)

    def test_f16(self):
        self.compare("f16")

    def test_q8_0(self):
        self.compare("q8_0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
