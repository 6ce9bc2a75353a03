"""ggml's own training: test-opt passes on the device, and llama-finetune's losses are the CPU's, step by step."""

import re
import subprocess
import unittest

import stock

TOLERANCE = 0.002
LOSS = re.compile(r"(train|val): +\[.*?\] data=0*(\d+)/\d+ loss=([0-9.]+)")

# A rate for each, with which a second epoch over the same text must be visibly better than the first.
RATES = {"adamw": "1e-4", "sgd": "5e-2"}

# What must have run on the device: a step that ggml gave to the CPU would not show in the losses.
KERNELS = ("cross_entropy.loss", "cross_entropy.gradient", "get_rows_back.f32", "row_back.rms_norm", "row_back.soft_max", "out_prod.f32")


def finetune(optimizer, device):
    """([(phase, batch, loss)], log) of two epochs over a short text. Optimizers want weights in f32."""
    text = stock.tales().with_name("finetune.txt")
    text.write_text(stock.tales().read_text()[:3000])
    arguments = ["-m", stock.model("f32"), "-f", text, "-o", stock.WORK / f"finetuned-{device}.gguf", "-c", "128", "-b", "128", "-ub", "128",
                 "-t", "1", "-epochs", "2", "-opt", optimizer, "-lr", RATES[optimizer], "-fit", "off", "-lv", "4", *stock.placement(device)]
    out, log = stock.run("llama-finetune", arguments, device, {"GGML_DIRECTX_PROFILE": "1"})
    return [(phase, int(batch), float(loss)) for phase, batch, loss in LOSS.findall(out + log)], out + log


class Finetune(unittest.TestCase):
    def compare(self, optimizer):
        expected, _ = finetune(optimizer, stock.CPU)
        found, log = finetune(optimizer, stock.DEVICE)
        stock.on_device_only(log)
        ran = {line.split()[-1] for line in log.splitlines() if "ggml_directx:" in line}
        for kernel in (*KERNELS, f"opt_step.{optimizer}"):
            self.assertIn(kernel, ran)

        training = [loss for phase, _, loss in expected if phase == "train"]
        self.assertGreaterEqual(len(training), 6)
        # each is the mean over its epoch so far
        self.assertLess(training[-1], 0.99 * training[len(training) // 2 - 1], "the second epoch is no better: did the weights change?")

        print(f"{optimizer}: losses {' '.join(str(loss) for _, _, loss in found)}, the CPU's {' '.join(str(loss) for _, _, loss in expected)}", flush=True)
        self.assertEqual([step[:2] for step in found], [step[:2] for step in expected])
        for (phase, batch, loss), (_, _, reference) in zip(found, expected):
            self.assertLess(abs(loss / reference - 1), TOLERANCE, f"{phase}, batch {batch}")


class TestOpt(unittest.TestCase):
    def test_opt(self):
        # It insists on the CPU's backend being the last one, but GGML_BACKEND_PATH is loaded after it. ggml also looks for the
        # backends that it knows by name in the working directory, and for these first.
        folder = stock.WORK / "test-opt"
        folder.mkdir(parents=True, exist_ok=True)
        name = folder / "libggml-sycl.so"
        name.unlink(missing_ok=True)
        name.symlink_to(stock.PLUGIN)
        done = subprocess.run([stock.BIN / "test-opt"], env=stock.environment(stock.CPU), cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=stock.TIMEOUT)
        text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
        self.assertEqual(done.returncode, 0, text[-3000:])
        for optimizer in RATES:
            self.assertRegex(text, rf"Backend {stock.DEVICE} {optimizer}: OK")
        for passed, total in re.findall(r"(\d+)/(\d+) tests passed", text):
            self.assertEqual(passed, total)


for name in RATES:
    setattr(Finetune, f"test_{name}", lambda self, o=name: self.compare(o))

if __name__ == "__main__":
    unittest.main(verbosity=2)
