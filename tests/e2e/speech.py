"""Stock whisper-cli hears the demo clips word for word; encoder and logits are the CPU's, for the demo model and a random one."""

import json
import random
import re
import statistics
import struct
import unittest

import stock

SPEECH = stock.ROOT / "models/speech"
MODEL = SPEECH / "demo-q8_0.bin"

# A Whisper of other sizes than the demo model: more heads, as many mels as the largest, 10 s of sound for quickness.
VOCABULARY, MELS, FRAMES = 51864, 128, 500
WIDTH, HEADS, LAYERS, TEXT = 192, 3, 2, 448
FILTERS = 201


class Weights:
    """Random weights, drawn by the byte from 256 quantiles of a normal distribution: quick without NumPy."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.quantiles = [statistics.NormalDist().inv_cdf((i + 0.5) / 256) for i in range(256)]

    def draw(self, count, code, mean, deviation):
        drawn = self.random.randbytes(count)
        values = [struct.pack("<" + code, mean + deviation * q) for q in self.quantiles]
        size = len(values[0])
        packed = bytearray(size * count)
        for i in range(size):
            packed[i::size] = drawn.translate(bytes(v[i] for v in values))
        return packed


def random_tensors():
    """Names, shapes (fastest dimension first), whether they are f16, mean and deviation."""
    def norm(name):
        yield f"{name}.weight", (WIDTH,), False, 1, 0.1
        yield f"{name}.bias", (WIDTH,), False, 0, 0.1

    def linear(name, inputs, outputs, bias=True):
        yield f"{name}.weight", (inputs, outputs), True, 0, inputs ** -0.5
        if bias:
            yield f"{name}.bias", (outputs,), False, 0, 0.1

    def attention(name):
        for part in ("query", "key", "value", "out"):
            yield from linear(f"{name}.{part}", WIDTH, WIDTH, part != "key")

    def block(name, crossed):
        for part in ("attn", "cross_attn") if crossed else ("attn",):
            yield from norm(f"{name}.{part}_ln")
            yield from attention(f"{name}.{part}")
        yield from norm(f"{name}.mlp_ln")
        yield from linear(f"{name}.mlp.0", WIDTH, 4 * WIDTH)
        yield from linear(f"{name}.mlp.2", 4 * WIDTH, WIDTH)

    for number, inputs in ((1, MELS), (2, WIDTH)):
        yield f"encoder.conv{number}.weight", (3, inputs, WIDTH), True, 0, (3 * inputs) ** -0.5
        yield f"encoder.conv{number}.bias", (1, WIDTH), False, 0, 0.1
    yield "encoder.positional_embedding", (WIDTH, FRAMES), False, 0, 1
    yield "decoder.positional_embedding", (WIDTH, TEXT), False, 0, 0.1
    yield "decoder.token_embedding.weight", (WIDTH, VOCABULARY), True, 0, 0.1
    for layer in range(LAYERS):
        yield from block(f"encoder.blocks.{layer}", False)
        yield from block(f"decoder.blocks.{layer}", True)
    yield from norm("encoder.ln_post")
    yield from norm("decoder.ln")


def random_model():
    """A whisper.cpp file of random f16 weights; whisper.cpp names the tokens itself if the file does not."""
    path, weights = stock.WORK / "speech-random-f16.bin", Weights(20261201)
    with stock.locked(), open(path, "wb") as f:
        f.write(struct.pack("<12i", 0x67676d6c, VOCABULARY, FRAMES, WIDTH, HEADS, LAYERS, TEXT, WIDTH, HEADS, LAYERS, MELS, 1))
        f.write(struct.pack("<2i", MELS, FILTERS) + weights.draw(MELS * FILTERS, "f", 0.01, 0.002))
        f.write(struct.pack("<i", 0))
        for name, shape, half, mean, deviation in random_tensors():
            count = 1
            for size in shape:
                count *= size
            f.write(struct.pack(f"<{3 + len(shape)}i", len(shape), len(name), int(half), *shape) + name.encode())
            f.write(weights.draw(count, "e" if half else "f", mean, deviation))
    return path


class Speech(unittest.TestCase):
    maxDiff = None

    def hear(self, *options):
        texts = json.loads((SPEECH / "texts.json").read_text())
        clips = [part for clip in texts for part in ("-f", SPEECH / clip)]
        out, log = stock.run("whisper-cli", ["-m", MODEL, *options, *clips], stock.DEVICE, timeout=300)  # a lost decoder babbles long
        heard = " ".join(re.sub(r"\[[\d:. >-]+\]", "", out).split())
        print(heard, flush=True)
        self.assertEqual(heard, " ".join(clip["text"] for clip in texts.values()))
        self.assertIn(f"using {stock.DEVICE} backend", log)
        weights = re.findall(r"(\S+) total size =", log)
        self.assertEqual(weights, [stock.DEVICE], "where the weights are")

    def test_default(self):
        self.hear()

    def test_no_timestamps(self):
        self.hear("-nt")

    def test_no_flash_attention(self):
        self.hear("-nfa")

    def compare(self, model):
        """Fails too if one op of one graph ran on the CPU."""
        out, _ = stock.run("speech-compare", [model, SPEECH / "hugo.wav"], stock.DEVICE)
        print(out, flush=True)
        self.assertEqual(out.count(": ok"), 2, out)

    def test_encoder_and_logits_q8_0(self):
        self.compare(MODEL)

    def test_encoder_and_logits_f16(self):
        self.compare(random_model())


if __name__ == "__main__":
    unittest.main(verbosity=2)
