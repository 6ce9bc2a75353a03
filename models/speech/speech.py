"""Synthetic speech for the demo model: sentences in the manner of tales.py, read by eSpeak NG.

`sentence(rng)` draws a text, `Speaker().say(text, voice)` reads it (16 kHz, int16)
and `Pieces()` turns text into token ids.  `python3 speech.py OUT_DIR [COUNT]`
writes held-out WAV files with their texts.  Needs numpy and libespeak-ng.
"""

import collections
import ctypes
import ctypes.util
import json
import os
import random
import re
import sys
import wave

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tales  # noqa: E402

RATE = 16000
ACCENTS = "en en-us en-gb-scotland en-gb-x-rp en-gb-x-gbclan en-gb-x-gbcwmd en-us-nyc".split()
VARIANTS = ("m1 m2 m3 m4 m5 m7 f1 f2 f3 f5 Alex Alicia Annie Denis Lee Marco Mike belinda edward john linda "
            "pablo paul quincy rob robert steph2 travis zac victor klatt klatt2 grandpa").split()
HELD_OUT = "m6 m8 f4 Andy Gene steph max".split()
PLURALS = {"fox": "foxes", "mouse": "mice", "sheep": "sheep"}

Voice = collections.namedtuple("Voice", "name rate pitch range")


def voice(rng, held_out=False):
    """A random voice; held-out ones use variants that no training voice uses."""
    accent = rng.choice(ACCENTS if rng.random() < 0.4 else ACCENTS[:2])
    if held_out:
        accent += "+" + rng.choice(HELD_OUT)
    elif rng.random() < 0.85:
        accent += "+" + rng.choice(VARIANTS)
    return Voice(accent, rng.randint(120, 205), rng.randint(30, 70), rng.randint(30, 70))


def counting(rng):
    c, n, m = rng.choice, rng.randrange(100), rng.randrange(100)
    animals = {a: PLURALS.get(a, a + "s") for a in tales.ANIMALS}
    return c([
        f"{c(tales.NAMES)} has {n} {c(tales.COLOURS)} {c(tales.THINGS)}s.",
        f"There are {n} {animals[c(tales.ANIMALS)]} {c(tales.PLACES)}.",
        f"{c(tales.NAMES)} counted {n} stars.",
        f"{c(tales.NAMES)} is {n} years old.",
        f"The {c(tales.ANIMALS)} found {n} {c(tales.THINGS)}s and {m} {animals[c(tales.ANIMALS)]}.",
        f"What is {n} plus {m}?",
        f"What is {n} minus {m}?",
    ])


def sentence(rng, words=()):
    """One sentence of 3 to 14 words; with `words`, sometimes a meaningless string of them."""
    while True:
        r = rng.random()
        if words and r < 0.15:
            return " ".join(rng.choices(words, k=rng.randint(3, 8))) + "."
        if r < 0.35:
            text = counting(rng)
        elif r < 0.75:
            text = tales.Tale(rng).text
        else:
            text = rng.choice(tales.sample(rng))[1]
        text = rng.choice(re.split(r"(?<=[.?!])\s+", text.replace('"', "")))
        if 3 <= len(text.split()) <= 14:
            return text


class Pieces:
    """Token table: 256 bytes in GPT-2's order, then every word and number with its leading space."""

    def __init__(self):
        visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
        self.table = [bytes([b]) for b in visible + [b for b in range(256) if b not in visible]]
        rng = random.Random(0)
        found = collections.Counter()
        for _ in range(40_000):
            found.update(re.findall(r"[A-Za-z]+", sentence(rng)))
        self.words = sorted(found)
        self.table += [f" {w}".encode() for w in [*self.words, *range(100)]]
        self.ids = {p: i for i, p in enumerate(self.table)}

    def encode(self, text):
        ids = []
        for piece in re.findall(r" [A-Za-z]+| \d+|.", " " + text.strip()):
            piece = piece.encode()
            ids += [self.ids[piece]] if piece in self.ids else [self.ids[bytes([b])] for b in piece]
        return ids

    def decode(self, ids):
        return b"".join(self.table[i] for i in ids).decode(errors="replace").strip()


class Speaker:
    """libespeak-ng in this process, in its synchronous mode (2)."""

    def __init__(self):
        self.lib = ctypes.CDLL(os.environ.get("ESPEAK_LIB") or ctypes.util.find_library("espeak-ng") or "libespeak-ng.so.1")
        data = os.environ.get("ESPEAK_DATA_PATH")
        self.rate = self.lib.espeak_Initialize(2, 0, data.encode() if data else None, 0)
        if self.rate <= 0:
            raise RuntimeError("eSpeak NG does not start")
        self.parts = []
        self.callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)(self.take)
        self.lib.espeak_SetSynthCallback(self.callback)

    def take(self, samples, count, _events):
        if samples and count:
            self.parts.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def say(self, text, v):
        """The text as 16 kHz int16 samples, silence at both ends cut away."""
        if self.lib.espeak_SetVoiceByName(v.name.encode()):
            raise ValueError(f"no voice {v.name}")
        for parameter, value in ((1, v.rate), (3, v.pitch), (4, v.range)):
            self.lib.espeak_SetParameter(parameter, value, 0)
        self.parts = []
        raw = text.encode() + b"\0"
        self.lib.espeak_Synth(raw, ctypes.c_size_t(len(raw)), 0, 0, 0, 1, None, None)
        return trim(resample(np.concatenate(self.parts).astype(np.float32), self.rate))


def resample(x, rate):
    """Band-limited resampling to 16 kHz through the FFT (rate: a multiple of 50)."""
    unit = rate // 50                                   # 20 ms
    size = 1 << max(0, (len(x) // unit)).bit_length()   # whole blocks, a fast length
    spectrum = np.fft.rfft(x, unit * size)[: RATE // 50 * size // 2 + 1]
    y = np.fft.irfft(spectrum, RATE // 50 * size) * (RATE / rate)
    return y[: len(x) * RATE // rate]


def trim(x):
    loud = np.flatnonzero(np.abs(x) > 0.01 * np.abs(x).max())
    return np.clip(np.rint(x[loud[0]: loud[-1] + 1]), -32768, 32767).astype(np.int16)


def corpus(args):
    """(seed, count, held_out) -> texts, their waves end to end, and the lengths."""
    seed, count, held_out = args
    rng, speaker = random.Random(seed), Speaker()
    words = [] if held_out else [*Pieces().words, *map(str, range(100))]
    texts, waves = [], []
    while len(texts) < count:
        text, v = sentence(rng, words), voice(rng, held_out)
        x = speaker.say(text, v)
        if 0.6 * RATE < len(x) < 8.5 * RATE:
            texts.append(text)
            waves.append(x)
    return texts, np.concatenate(waves), [len(x) for x in waves]


def write_wav(path, samples):
    with wave.open(path, "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(RATE)
        w.writeframes(samples.tobytes())


def main():
    out, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    os.makedirs(out, exist_ok=True)
    rng, speaker, texts = random.Random(99), Speaker(), {}
    quiet = np.zeros(RATE // 5, np.int16)
    for i in range(count):
        text, v = sentence(rng), voice(rng, held_out=True)
        write_wav(os.path.join(out, f"{i:03}.wav"), np.concatenate([quiet, speaker.say(text, v), quiet]))
        texts[f"{i:03}.wav"] = {"text": text, "voice": v.name, "rate": v.rate, "pitch": v.pitch}
    with open(os.path.join(out, "texts.json"), "w") as f:
        json.dump(texts, f, indent=1)


if __name__ == "__main__":
    main()
