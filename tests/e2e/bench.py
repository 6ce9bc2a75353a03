"""llama-bench finds the device through GGML_BACKEND_PATH and works with no, some and all layers on it, and on two devices."""

import json
import unittest

import stock


class Bench(unittest.TestCase):
    def bench(self, *extra):
        out, _ = stock.run("llama-bench", ["-m", stock.model("q8_0"), "-p", "64", "-n", "8", "-r", "1", "-t", "1", "-o", "json", *extra], stock.DEVICE)
        rows = json.loads(out)
        self.assertEqual(len(rows), 2)  # prompt and generation
        for row in rows:
            self.assertIn("DirectX", row["backends"])
            self.assertGreater(row["avg_ts"], 0)
        return rows

    def test_no_layers(self):
        self.bench("-ngl", "0")

    def test_some_layers(self):
        self.bench("-ngl", "3")

    def test_all_layers(self):
        self.bench("-ngl", "99")

    def test_two_devices(self):
        out, log = stock.run("llama-bench", ["--list-devices"], stock.DEVICE)
        devices = [word.rstrip(":") for word in (out + log).split() if word.startswith("DirectX") and word.endswith(":")]
        if len(devices) < 2:
            self.skipTest("this machine shows one DirectX device")
        self.bench("-ngl", "99", "-dev", "/".join(devices[:2]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
