"""Bad input and broken machines: each must end in a clear message and a clean status, and nothing else may be lost.

Usage: faults.py --probe PROBE --plugin PLUGIN [--other-api PLUGIN] [--bench LLAMA_BENCH --model GGUF]
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

arguments = None


def run(commands, plugin=None, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GGML_")}
    environment["PROBE_PLUGIN"] = str(plugin or arguments.plugin)
    environment["GGML_DIRECTX_SOFTWARE"] = "1"
    environment.update(variables)
    done = subprocess.run([arguments.probe, *commands.split()], env=environment, capture_output=True, text=True, errors="replace", timeout=300)
    return done.returncode, done.stdout.splitlines(), done.stderr


class Faults(unittest.TestCase):
    def expect(self, result, answers, message=None):
        status, lines, log = result
        self.assertEqual(status, 0, f"the program must survive; log:\n{log}")
        self.assertEqual(lines, ["loaded: yes", *answers], f"log:\n{log}")
        if message:
            self.assertIn(message, log)

    def test_a_healthy_machine(self):
        self.expect(run("devices compute compute unload"), ["devices: 1", "compute: GGML status: success, right",
                                                           "compute: GGML status: success, right", "unload: done"])

    def test_nothing_is_left_after_unloading(self):
        self.expect(run("compute compute unload", GGML_DIRECTX_DEBUG="1"), ["compute: GGML status: success, right",
                                                                           "compute: GGML status: success, right", "unload: done"],
                    "every Direct3D object was released")

    def test_no_direct3d(self):
        self.expect(run("devices", GGML_DIRECTX_FAULT="no-runtime"), ["devices: 0"], "no device:")

    def test_a_library_that_is_not_there(self):
        self.expect(run("devices", GGML_DIRECTX_D3D12="/nowhere/libd3d12.so"), ["devices: 0"], "/nowhere/libd3d12.so")

    def test_a_library_that_is_not_direct3d(self):
        self.expect(run("devices", GGML_DIRECTX_D3D12="libc.so.6"), ["devices: 0"], "D3D12CreateDevice")

    def test_a_device_that_fails_the_self_test(self):
        self.expect(run("devices", GGML_DIRECTX_FAULT="self-test"), ["devices: 0"], "self-test failed")

    def test_kernel_archives_that_are_damaged(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder) / "kernels.bin"
            for content, what in ((b"", "empty"), (b"not an archive at all" * 100, "foreign")):
                archive.write_bytes(content)
                with self.subTest(what):
                    self.expect(run("devices", GGML_DIRECTX_KERNELS=str(archive)), ["devices: 0"], "kernels.bin")

    def test_an_allocation_beyond_the_budget(self):
        self.expect(run("allocate 200 allocate 8 compute", GGML_DIRECTX_MEMORY_LIMIT="64"),
                    ["allocate: refused", "allocate: ok", "compute: GGML status: success, right"], "64 MiB")

    def test_memory_that_runs_out_later(self):
        self.expect(run("allocate 1 compute", GGML_DIRECTX_FAULT="out-of-memory@1"),
                    ["allocate: refused", "compute: GGML status: success, right"])

    def test_device_removal_in_mid_graph(self):
        status, lines, log = run("compute compute allocate 1 unload", GGML_DIRECTX_FAULT="removed@2")
        self.assertEqual(status, 0, log)
        self.assertIn("unload: done", lines)
        self.assertIn("compute: GGML status: error (operation failed), wrong", lines)
        self.assertIn("allocate: refused", lines)
        self.assertIn("device removed", log.lower())

    def test_wrong_environment_values(self):
        for name, value in (("TIER", "sm99"), ("SOFTWARE", "perhaps"), ("MEMORY_LIMIT", "-3"), ("DEVICES", "0,x"), ("DEBUG", "2"),
                            ("FAULT", "earthquake"), ("TEIR", "sm51")):
            with self.subTest(name):
                status, lines, log = run("compute", **{"GGML_DIRECTX_" + name: value})
                self.assertEqual(status, 0, log)
                self.assertIn("compute: GGML status: success, right", lines)
                self.assertIn("GGML_DIRECTX_" + name, log)

    def test_a_tier_that_the_device_lacks(self):
        status, lines, log = run("devices", GGML_DIRECTX_TIER="sm66")
        self.assertEqual(status, 0, log)
        if "devices: 0" in lines:
            self.assertIn("sm66", log)

    def test_an_adapter_that_does_not_exist(self):
        self.expect(run("devices", GGML_DIRECTX_DEVICES="7"), ["devices: 0"], "GGML_DIRECTX_DEVICES names adapter 7")

    def test_a_plugin_for_another_ggml(self):
        if not arguments.other_api:
            self.skipTest("no plug-in built for another API version")
        status, lines, log = run("devices", plugin=arguments.other_api)
        self.assertEqual((status, lines), (0, ["loaded: no", "devices: 0"]), log)
        self.assertIn("API version", log)

    def test_a_model_that_is_too_large(self):
        if not arguments.bench:
            self.skipTest("no llama-bench")
        environment = dict(os.environ, GGML_BACKEND_PATH=arguments.plugin, GGML_DIRECTX_SOFTWARE="1", GGML_DIRECTX_MEMORY_LIMIT="4")
        done = subprocess.run([arguments.bench, "-m", arguments.model, "-ngl", "99", "-p", "8", "-n", "0", "-r", "1", "-v"], env=environment,
                              capture_output=True, text=True, timeout=300)
        self.assertGreater(done.returncode, 0, "llama-bench must fail, and not by a signal: " + done.stderr[-2000:])
        self.assertIn("4 MiB", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--probe", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--other-api", help="a plug-in built for another backend API version")
    parser.add_argument("--bench", help="llama-bench")
    parser.add_argument("--model", help="for llama-bench")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
