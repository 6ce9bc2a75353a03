"""Runs the device tests, the fuzzer, a conformance sample and the speech tests on tier sm60.

Debian 12's libvkd3d 1.2 runs DXBC only. A libvkd3d of at least 2.0 runs DXIL up to shader model 6.0; where this machine has
none, its libraries and Mesa's are taken from a Debian forky root that debootstrap makes once under the user's cache folder
(its Release file may be stale: debootstrap does not mind). The programs run with that root's dynamic loader and libraries:
no chroot, no privileges after the root is made.

Exit status 77: skipped, the last line says why.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

SUITE = "forky"
PACKAGES = "libvkd3d1,libvkd3d-utils1,mesa-vulkan-drivers,libvulkan1,libstdc++6,libgomp1"
LIBRARIES = "usr/lib/x86_64-linux-gnu"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def mirror():
    """The machine's own Debian mirror."""
    sources = [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]
    for path in sources:
        if path.is_file():
            for line in path.read_text(errors="replace").splitlines():
                found = re.match(r"(?:deb|URIs:)\s+(?:\[.*?\]\s+)?(https?://\S+/debian/?)(?:\s|$)", line.strip())
                if found:
                    return found.group(1)
    return None


def debian_root():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ggml-directx"
    root = cache / SUITE
    if (root / ".complete").exists():
        return root
    if os.geteuid() != 0 and not shutil.which("sudo"):
        skip(f"making a Debian {SUITE} root needs root or sudo")
    if not shutil.which("debootstrap"):
        skip("no debootstrap on this machine")
    source = mirror()
    if not source:
        skip("this machine's apt sources name no Debian mirror")
    script = pathlib.Path("/usr/share/debootstrap/scripts/sid")
    if not script.exists():
        skip("this debootstrap has no script for Debian's newer suites")
    cache.mkdir(parents=True, exist_ok=True)
    become_root = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*become_root, "rm", "-rf", str(root)], check=True)
    print(f"making a Debian {SUITE} root in {root}", flush=True)
    made = subprocess.run([*become_root, "debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(root), source, str(script)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
    if made.returncode != 0:
        skip(f"debootstrap of {SUITE} failed: {' '.join(made.stdout.strip().splitlines()[-2:])}")
    subprocess.run([*become_root, "touch", str(root / ".complete")], check=True)
    return root


def runtime():
    """(launcher, environment) of a program on a libvkd3d that runs DXIL."""
    root = debian_root()
    # Its vkd3d may be too old still: the file's version says.
    library = next(iter((root / LIBRARIES).glob("libvkd3d.so.1.*")), None)
    if library is None or int(library.name.split(".")[3]) < 20:  # libvkd3d 2.0; 1.2 has 2 here
        skip(f"the libvkd3d in {root} is {library.name if library else 'missing'}, too old for DXIL")
    loader = root / LIBRARIES / "ld-linux-x86-64.so.2"
    paths = [root / LIBRARIES, root / LIBRARIES / "dri"]
    launcher = f"{loader} --library-path {':'.join(map(str, paths))}"
    environment = dict(os.environ, GGML_DIRECTX_TIER="sm60", GGML_DIRECTX_SOFTWARE="1",
                       VK_DRIVER_FILES=str(root / "usr/share/vulkan/icd.d/lvp_icd.json"))
    environment["VK_ICD_FILENAMES"] = environment["VK_DRIVER_FILES"]
    return launcher, environment


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs and the plug-in")
    parser.add_argument("--conformance", required=True, help="conformance.py")
    parser.add_argument("--speech", help="speech.py")
    parser.add_argument("--sample", default="4", help="cases an op and type")
    arguments = parser.parse_args()

    launcher, environment = runtime()
    environment.update(E2E_BIN=str(arguments.bin), E2E_LAUNCHER=launcher, FUZZ_PLUGIN=str(arguments.bin / "libggml-directx.so"))

    failed = 0
    # ggml looks for its CPU backend beside the program, which is the loader here, and in the current folder.
    for command in (["env", "-C", str(arguments.bin), *launcher.split(), str(arguments.bin / "device-tests")],
                    ["env", "-C", str(arguments.bin), "GGML_DIRECTX_REVERSE=1", *launcher.split(), str(arguments.bin / "fuzz-tests")],
                    [sys.executable, arguments.conformance, "--program", str(arguments.bin / "test-backend-ops"), "--launcher", launcher,
                     "--plugin", str(arguments.bin / "libggml-directx.so"), "--tier", "sm60", "--sample", arguments.sample, "--jobs", "2"],
                    *([[sys.executable, arguments.speech]] if arguments.speech else [])):
        failed |= subprocess.run(command, env=environment, stdin=subprocess.DEVNULL).returncode
        sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
