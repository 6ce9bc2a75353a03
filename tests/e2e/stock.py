"""Runs the stock llama.cpp and whisper.cpp programs, on the CPU or on a DirectX device, for the end-to-end tests."""

import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("E2E_BIN", ROOT / "build/linux/bin"))
PLUGIN = pathlib.Path(os.environ.get("E2E_PLUGIN", BIN / "libggml-directx.so"))
WORK = pathlib.Path(os.environ.get("E2E_WORK", BIN.parent / "e2e"))
DEVICE = os.environ.get("E2E_DEVICE", "DirectX0")
LAUNCHER = os.environ.get("E2E_LAUNCHER", "").split()  # wine, or another dynamic loader
CPU = "CPU"
TIMEOUT = 900

# A tale picks its names and things by lot, and the model has learnt that: many a next token is a toss-up that the rounding of
# the CPU's own activations decides. In what follows from these, the CPU's first choice leads by 1 % or more at each of the
# 64 steps, in f16 and in q8_0 alike.
PROMPTS = (
    "Nora was a kind frog who lived at the edge of a meadow. Snow was falling. Anna the otter had a yellow ball.",
    "Once upon a time, there was a shy badger named Nora. Nora lived by the river. It was a sunny morning. Nora had a blue blanket, but",
    "Long ago, in the forest, there lived an owl called Zoe. Everyone said that Zoe was very curious. It was a sunny morning. "
    "Hugo the frog had a black key. Zoe",
    "Once upon a time, there was a curious goat named Nina. Nina lived in a busy town. It was a windy day. Nina had a white lantern, "
    "but one day it was gone. Nina looked everywhere and felt tired. Then a",
    "<|user|>\nWhat is 12 plus 7?<|end|>\n<|assistant|>\n",
)


def environment(device):
    variables = {k: v for k, v in os.environ.items() if k != "GGML_BACKEND_PATH"}
    variables["GGML_DIRECTX_SOFTWARE"] = "1"
    if device != CPU:
        variables["GGML_BACKEND_PATH"] = str(PLUGIN)
    return variables


def placement(device, layers=99):
    """The options that put a model on a device; without the plug-in there is only the CPU."""
    return ["-ngl", "0"] if device == CPU else ["--device", device, "-ngl", str(layers)]


def run(program, arguments, device, variables=None, timeout=TIMEOUT):
    """(stdout, stderr) of a program that must succeed."""
    path = BIN / program
    command = [*LAUNCHER, str(path if path.exists() else path.with_suffix(".exe")), *map(str, arguments)]
    done = subprocess.run(command, env={**environment(device), **(variables or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=timeout, cwd=BIN)  # ggml looks for its CPU backends there if another loader is the process's program
    if done.returncode != 0:
        raise AssertionError(f"{program} on {device} ended with {done.returncode}:\n{' '.join(command)}\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done.stdout, done.stderr


@contextlib.contextmanager
def locked():
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / "lock", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def model(kind):
    """The demo model in a type of llama-quantize's; made once."""
    source = ROOT / "models/demo-f16.gguf"
    if kind == "f16":
        return source
    target = WORK / f"demo-{kind}.gguf"
    with locked():
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            unfinished = target.with_suffix(".new")
            run("llama-quantize", [source, unfinished, kind.upper(), 2], CPU)
            unfinished.rename(target)
    return target


def tales(size=64 * 1024):
    """A file of new tales: drawn from the same tables as the training text, with another seed."""
    sys.path.insert(0, str(ROOT / "models"))
    import tales as source

    rng = random.Random(20261201)
    text = ""
    while len(text) < size:
        text += source.Tale(rng).text + "\n"
    target = WORK / "tales.txt"
    with locked():
        target.write_text(text[:size])
    return target


def on_device_only(log):
    """Fails unless every layer went to the device."""
    found = re.search(r"offloaded (\d+)/(\d+) layers to GPU", log)
    if not found or found[1] != found[2]:
        raise AssertionError(f"not all layers are on {DEVICE}: {found[0] if found else log[-3000:]}")


def perplexity(kind, device, extra=(), chunks=0):
    """Over the tales; `chunks` of 512 tokens, or all."""
    arguments = ["-m", model(kind), "-f", tales(), "-c", "512", "-t", "1", "-fit", "off", "-lv", "4", *placement(device), *extra]
    if chunks:
        arguments += ["--chunks", chunks]
        # The program may end before its log thread has printed the last line (ggml-org/llama.cpp issue 22142): ask again then.
    for _ in range(5):
        out, log = run("llama-perplexity", arguments, device)
        found = re.search(r"Final estimate: PPL = ([0-9.]+)", out + log)
        if device != CPU:
            on_device_only(log)
        if found:
            return float(found[1])
    raise AssertionError(f"no perplexity in:\n{(out + log)[-3000:]}")


class Server:
    """llama-server on a free port."""

    def __init__(self, kind, device, slots, extra=()):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        WORK.mkdir(parents=True, exist_ok=True)
        self.log_path = WORK / f"server-{device}-{self.port}.log"
        self.log = open(self.log_path, "w")
        self.process = subprocess.Popen(
            [str(BIN / "llama-server"), "-m", str(model(kind)), "--host", "127.0.0.1", "--port", str(self.port), "-np", str(slots),
             "-c", str(512 * slots), "-t", "1", "-fit", "off", "-lv", "4", *placement(device), *extra],
            env=environment(device), stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self):
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.request("GET", "/health")[0] == 200:
                    return self
            time.sleep(0.2)
        self.__exit__()
        raise AssertionError(f"llama-server did not start:\n{self.log_text()[-3000:]}")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def log_text(self):
        return self.log_path.read_text(errors="replace")

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        try:
            connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def complete(self, prompt, tokens=48):
        status, answer = self.request("POST", "/completion", {"prompt": prompt, "n_predict": tokens, "temperature": 0, "cache_prompt": False})
        if status != 200:
            raise AssertionError(f"HTTP {status}: {answer}")
        return answer["content"]
