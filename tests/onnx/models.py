"""The demo model on a device of the ONNX Runtime engine: what it writes, its perplexity, and that no part of it was left to
the CPU backend in silence."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import stock  # noqa: E402

STATISTICS = re.compile(r"ONNX0: (\d+) graphs, (\d+) unchanged, (\d+) sessions compiled, (\d+) computed by the CPU instead, (\d+) us of overhead each")
CHAT = ("<|user|>\nTell me a story about a fox.<|end|>\n<|assistant|>\n", "<|user|>\nWhat is 12 plus 7?<|end|>\n<|assistant|>\n",
        "<|user|>\nTell me a story about an owl and a goat who lived by the river.<|end|>\n<|assistant|>\n",
        "<|user|>\nTell me a story about a mouse.<|end|>\n<|assistant|>\n", "<|user|>\nAnd one more about a bear.<|end|>\n<|assistant|>\n")


def statistics(log):
    """Of all streams that the log tells of: graphs, unchanged, sessions, fallbacks, overhead."""
    found = [tuple(map(int, row)) for row in STATISTICS.findall(log)]
    if not found:
        raise AssertionError(f"the device gave no statistics:\n{log[-2000:]}")
    return tuple(map(sum, zip(*found)))


def profiled(**variables):
    """Lets the device tell its statistics, in this process's programs."""
    stock.os.environ.update(GGML_DIRECTX_PROFILE="1", **variables)


def answers(kind, device, prompts, tokens):
    with stock.Server(kind, device, 1) as server:
        texts = [server.complete(prompt, tokens) for prompt in prompts]
    return texts, server.log_text()


class Models(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        profiled(GGML_DIRECTX_ORT_STATIC="0", GGML_DIRECTX_ORT_WEIGHTS="exact")

    def check_statistics(self, log):
        graphs, unchanged, sessions, fallbacks, overhead = statistics(log)
        print(f"{graphs} graphs, {unchanged} unchanged, {sessions} sessions, {fallbacks} fallbacks, {overhead} us of overhead", flush=True)
        self.assertGreater(graphs, 0)
        self.assertEqual(fallbacks, 0)
        return sessions, overhead

    def compare_text(self, kind):
        expected, _ = answers(kind, stock.CPU, stock.PROMPTS, 64)
        found, log = answers(kind, stock.DEVICE, stock.PROMPTS, 64)
        stock.on_device_only(log)
        for prompt, right, text in zip(stock.PROMPTS, expected, found):
            with self.subTest(prompt):
                self.assertGreater(len(right), 1, "the CPU says nothing")
                self.assertEqual(text, right)
        return self.check_statistics(log)

    def test_f16_writes_what_the_cpu_writes(self):
        _, overhead = self.compare_text("f16")
        self.assertLess(overhead, 1000, "microseconds outside of cached sessions, a graph")

    def test_q8_0_writes_what_the_cpu_writes(self):
        self.compare_text("q8_0")

    def test_fixed_shapes_write_the_same(self):
        profiled(GGML_DIRECTX_ORT_STATIC="1")
        for kind in ("f16", "q8_0"):
            sessions, _ = self.compare_text(kind)
            self.assertLessEqual(sessions, 6)

    def test_fixed_shapes_without_flash_attention_write_the_same(self):
        profiled(GGML_DIRECTX_ORT_STATIC="1")
        expected, _ = answers("f16", stock.CPU, stock.PROMPTS[:2], 64)
        with stock.Server("f16", stock.DEVICE, 1, ["-fa", "off"]) as server:
            found = [server.complete(prompt, 64) for prompt in stock.PROMPTS[:2]]
        self.assertEqual(found, expected)
        self.check_statistics(server.log_text())

    def test_a_chat_with_fixed_shapes_needs_few_sessions(self):
        profiled(GGML_DIRECTX_ORT_STATIC="1")
        with stock.Server("f16", stock.DEVICE, 1) as server:
            text = ""
            for turn in CHAT:
                text += turn
                text += server.complete(text, 67)
        graphs = statistics(server.log_text())[0]
        sessions, _ = self.check_statistics(server.log_text())
        print(f"{sessions} sessions for a chat of {graphs} tokens", flush=True)
        self.assertGreater(graphs, 200)
        self.assertLessEqual(sessions, 6)

    def test_longer_texts_find_their_session_compiled(self):
        profiled(GGML_DIRECTX_ORT_STATIC="1")
        with stock.Server("f16", stock.DEVICE, 1, ["-c", "2048", "--ignore-eos", "-lv", "5"]) as server:
            server.complete(stock.PROMPTS[0], 560)
        log = server.log_text()
        for step in ("columns 512 of 512", "a session for later was compiled", "columns 768 of 1024"):
            self.assertTrue(step in log, step)
        sessions, _ = self.check_statistics(log)
        self.assertEqual(sessions, 4)  # warming up, the prompt, 512 columns, 1024

    def compare_perplexity(self, kind, limit):
        expected = stock.perplexity(kind, stock.CPU, chunks=8)
        for what, variables, most in (("exact", {}, limit), ("fixed shapes", {"GGML_DIRECTX_ORT_STATIC": "1"}, limit),
                                      ("compact", {"GGML_DIRECTX_ORT_WEIGHTS": "compact"}, 0.03)):
            with self.subTest(what):
                profiled(**{"GGML_DIRECTX_ORT_STATIC": "0", "GGML_DIRECTX_ORT_WEIGHTS": "exact", **variables})
                found = stock.perplexity(kind, stock.DEVICE, chunks=8)
                print(f"{kind}, {what}: {found:.4f}, the CPU {expected:.4f} ({found / expected - 1:+.3%})", flush=True)
                self.assertLess(abs(found / expected - 1), most)

    def test_perplexity_f16(self):
        self.compare_perplexity("f16", 0.005)

    def test_perplexity_q8_0(self):
        self.compare_perplexity("q8_0", 0.005)

    def test_perplexity_q4_0(self):
        self.compare_perplexity("q4_0", 0.005)

    def test_perplexity_q4_K_M(self):
        self.compare_perplexity("q4_K_M", 0.005)


if __name__ == "__main__":
    unittest.main(verbosity=2)
