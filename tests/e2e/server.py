"""llama-server with four parallel sequences answers real HTTP requests with the texts that the CPU gives one by one."""

import concurrent.futures
import unittest

import stock


class ParallelRequests(unittest.TestCase):
    def test_four_sequences(self):
        with stock.Server("f16", stock.CPU, 1) as server:
            expected = {prompt: server.complete(prompt) for prompt in stock.PROMPTS}
        with stock.Server("f16", stock.DEVICE, 4) as server:
            # more requests than sequences, so that they start and end at different times
            prompts = [stock.PROMPTS[i % len(stock.PROMPTS)] for i in range(12)]
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(server.complete, prompts))
            stock.on_device_only(server.log_text())
        for prompt, answer in zip(prompts, answers):
            with self.subTest(prompt):
                self.assertEqual(answer, expected[prompt])

    def test_chat(self):
        """The chat interface, as a client of OpenAI's would use it."""
        with stock.Server("f16", stock.DEVICE, 2) as server:
            status, answer = server.request("POST", "/v1/chat/completions", {
                "messages": [{"role": "user", "content": "Tell me a story about a mouse and a kite."}], "max_tokens": 32, "temperature": 0})
        self.assertEqual(status, 200, answer)
        self.assertGreater(len(answer["choices"][0]["message"]["content"]), 40)


if __name__ == "__main__":
    unittest.main(verbosity=2)
