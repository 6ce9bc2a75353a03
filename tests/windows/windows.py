"""Windows binaries under wine: ggml-directx.dll with the real Windows ggml and llama libraries.

wine's own d3d12.dll serves (shader model 5.1, DXBC), on Mesa's software Vulkan device; it needs an X display, which Xvfb gives.
Exit status 77: skipped, the last line says why.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

PROMPT = "Once upon a time"
TOKENS = "48"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def find_wine():
    for name in (os.environ.get("GGML_DIRECTX_WINE"), "/usr/lib/wine/wine64", "wine64", "wine"):
        if name and shutil.which(name):
            return shutil.which(name)
    return None


class Display:
    """An X server without a screen, on the first free display."""

    def __enter__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp"], pass_fds=[writer],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if not number:
            skip("Xvfb does not start")
        return ":" + number

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def environment_for(display):
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ggml-directx"
    environment = dict(os.environ, DISPLAY=display, WINEPREFIX=str(cache / "wine-tests"), WINEDEBUG="-all",
                       WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe=", GGML_DIRECTX_SOFTWARE="1")
    cache.mkdir(parents=True, exist_ok=True)
    return environment


def boot(wine, environment):
    """Makes the prefix and starts wine's services: else a first program's would hold its output open after its end."""
    subprocess.run([wine, "wineboot", "--init"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Lane:
    def __init__(self, arguments, wine, environment):
        self.arguments, self.wine, self.environment = arguments, wine, environment
        self.passed = self.failed = 0

    def check(self, name, right, detail=""):
        self.passed += bool(right)
        self.failed += not right
        print(f"{'ok' if right else 'FAIL'}: {name}{'' if right else ': ' + detail}", flush=True)

    def run(self, program, *arguments, **variables):
        return subprocess.run([self.wine, str(self.arguments.windows / program), *arguments], env={**self.environment, **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=900,
                              cwd=self.arguments.windows)

    def device(self):
        done = self.run("directx-info.exe")
        self.check("directx-info lists a device that passes its self-test", done.returncode == 0 and "sm51" in done.stdout,
                   done.stdout[-1500:] + done.stderr[-1500:])

    def story(self):
        plugin = self.arguments.windows / "ggml-directx.dll"
        model = ["-m", str(self.arguments.model), "-n", TOKENS, "-ngl", "99", PROMPT]
        started = time.monotonic()
        windows = self.run("llama-simple.exe", *model, GGML_BACKEND_PATH="Z:" + str(plugin))
        linux = subprocess.run([str(self.arguments.linux / "llama-simple"), *model], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", timeout=900,
                               env={**os.environ, "GGML_DIRECTX_SOFTWARE": "1", "GGML_DIRECTX_TIER": "sm51",
                                    "GGML_BACKEND_PATH": str(self.arguments.linux / "libggml-directx.so")})
        told, expected = windows.stdout.replace("\r", "").strip(), linux.stdout.strip()
        print(told, flush=True)
        self.check("llama-simple.exe uses DirectX0", "DirectX0" in windows.stderr, windows.stderr[-1500:])
        self.check("it tells the story that Linux tells", told and told == expected, f"Linux: {expected!r}; log: {windows.stderr[-1500:]}")
        print(f"the story took {time.monotonic() - started:.0f} s", flush=True)

    def speech(self):
        """The speech tests, with the Windows programs."""
        started = time.monotonic()
        done = subprocess.run([sys.executable, self.arguments.speech], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, env={**self.environment, "E2E_BIN": str(self.arguments.windows), "E2E_LAUNCHER": self.wine,
                                              "E2E_PLUGIN": "Z:" + str(self.arguments.windows / "ggml-directx.dll")})
        print(done.stdout, flush=True)
        ran = re.search(r"^Ran (\d+) tests", done.stdout, re.MULTILINE)
        failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", done.stdout)))
        self.passed += int(ran[1]) - failed if ran else 0
        self.failed += failed
        self.check("speech.py runs", ran and (done.returncode == 0 or failed), f"exit status {done.returncode}")
        print(f"hearing took {time.monotonic() - started:.0f} s", flush=True)

    def conformance(self):
        command = [sys.executable, self.arguments.conformance, "--program", str(self.arguments.windows / "test-backend-ops.exe"),
                   "--launcher", self.wine, "--plugin", "Z:" + str(self.arguments.windows / "ggml-directx.dll"), "--jobs", "2",
                   "--sample", self.arguments.sample]
        done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        print(done.stdout, flush=True)
        last = done.stdout.strip().splitlines()[-1:] or [""]
        words = last[0].replace(",", "").split()
        if len(words) == 8 and words[0] == "supported":
            self.passed += int(words[5])
            self.failed += int(words[7])
        else:
            self.check("test-backend-ops.exe runs", False, f"exit status {done.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--windows", type=pathlib.Path, required=True, help="folder of the Windows programs and libraries")
    parser.add_argument("--linux", type=pathlib.Path, required=True, help="folder of the Linux ones, for comparison")
    parser.add_argument("--conformance", required=True, help="conformance.py")
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--speech", help="speech.py")
    parser.add_argument("--sample", default="4", help="cases an op and type")
    arguments = parser.parse_args()

    wine = find_wine()
    if not wine:
        skip("no wine on this machine")
    if not shutil.which("Xvfb"):
        skip("no Xvfb on this machine")
    with Display() as display:
        environment = environment_for(display)
        boot(wine, environment)
        lane = Lane(arguments, wine, environment)
        lane.device()
        lane.story()
        if arguments.speech:
            lane.speech()
        lane.conformance()
    print(f"{lane.passed} passed, {lane.failed} failed, 0 skipped")
    sys.exit(1 if lane.failed else 0)


if __name__ == "__main__":
    main()
