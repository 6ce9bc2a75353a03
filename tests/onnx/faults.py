"""Bad input and broken machines for the ONNX Runtime engine: each ends in a clear message and right results.

Usage: faults.py --probe PROBE --plugin PLUGIN --runtime LIBONNXRUNTIME --old-runtime LIBRARY --info DIRECTX_INFO
"""

import argparse
import os
import subprocess
import sys
import unittest

arguments = None
RIGHT = "compute: GGML status: success, right"


def environment(**variables):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GGML_")}
    clean.update(PROBE_PLUGIN=arguments.plugin, PROBE_DEVICES="ONNX", GGML_DIRECTX_SOFTWARE="1", GGML_DIRECTX_ORT="cpu",
                 GGML_DIRECTX_ONNXRUNTIME=arguments.runtime)
    clean.update(variables)
    return {k: v for k, v in clean.items() if v is not None}


def run(commands, **variables):
    done = subprocess.run([arguments.probe, *commands.split()], env=environment(**variables), capture_output=True, text=True, errors="replace",
                          timeout=300)
    return done.returncode, done.stdout.splitlines(), done.stderr


class Faults(unittest.TestCase):
    def expect(self, result, answers, message=None):
        status, lines, log = result
        self.assertEqual(status, 0, f"the program must survive; log:\n{log}")
        self.assertEqual(lines, ["loaded: yes", *answers], f"log:\n{log}")
        if message:
            self.assertIn(message, log)

    def test_a_healthy_machine(self):
        self.expect(run("devices compute compute unload"), ["devices: 1", RIGHT, RIGHT, "unload: done"], "ONNX0 = CPUExecutionProvider")

    def test_nothing_is_loaded_unless_asked_for(self):
        status, lines, log = run("devices", GGML_DIRECTX_ORT=None, GGML_DIRECTX_ONNXRUNTIME=None)
        self.assertEqual((status, lines), (0, ["loaded: yes", "devices: 0"]))
        self.assertNotIn("ONNX", log)

    def test_no_devices_wanted(self):
        self.expect(run("devices", GGML_DIRECTX_ORT="none"), ["devices: 0"])

    def test_a_library_that_is_not_there(self):
        self.expect(run("devices", GGML_DIRECTX_ONNXRUNTIME="/nowhere/libonnxruntime.so"), ["devices: 0"], "/nowhere/libonnxruntime.so")

    def test_no_library_anywhere(self):
        self.expect(run("devices", GGML_DIRECTX_ONNXRUNTIME=None), ["devices: 0"], "no ONNX Runtime device:")

    def test_a_library_that_is_another(self):
        self.expect(run("devices", GGML_DIRECTX_ONNXRUNTIME="libc.so.6"), ["devices: 0"], "OrtGetApiBase")

    def test_a_library_that_is_too_old(self):
        self.expect(run("devices", GGML_DIRECTX_ONNXRUNTIME=arguments.old_runtime), ["devices: 0"], "is ONNX Runtime 1.17.1; 1.")

    def test_an_ep_library_that_does_not_load(self):
        self.expect(run("devices compute", GGML_DIRECTX_ORT_EPS="QNN=/nowhere/qnn.so"), ["devices: 1", RIGHT],
                    "the execution provider QNN (/nowhere/qnn.so) is left out:")

    def test_an_ep_library_that_is_none(self):
        self.expect(run("devices compute", GGML_DIRECTX_ORT_EPS="QNN=libc.so.6"), ["devices: 1", RIGHT], "the execution provider QNN (libc.so.6) is left out:")

    def test_an_ep_that_does_not_exist(self):
        self.expect(run("devices", GGML_DIRECTX_ORT="cpu,Imaginary"), ["devices: 1"], "GGML_DIRECTX_ORT names Imaginary")

    def test_no_npu(self):
        self.expect(run("devices", GGML_DIRECTX_ORT="npu"), ["devices: 0"], "GGML_DIRECTX_ORT picks none")

    def test_a_session_that_does_not_compile(self):
        result = run("cpu compute compute unload", GGML_DIRECTX_FAULT="session@1")
        self.expect(result, ["cpu: there", RIGHT, RIGHT, "unload: done"], "2 computed by the CPU instead")
        self.assertEqual(result[2].count("computes a part of the graph instead"), 1, "one warning")

    def test_a_run_that_fails(self):
        self.expect(run("cpu compute compute unload", GGML_DIRECTX_FAULT="run@2"), ["cpu: there", RIGHT, RIGHT, "unload: done"],
                    "1 computed by the CPU instead")

    def test_a_program_without_the_cpu_backend(self):
        self.expect(run("compute unload", GGML_DIRECTX_FAULT="session@1"), ["compute: GGML status: error (operation failed), wrong", "unload: done"],
                    "a fault was asked for")

    def test_directx_info(self):
        done = subprocess.run([arguments.info, "--selftest"], env=environment(), capture_output=True, text=True, timeout=300)
        self.assertRegex(done.stdout, r"CPUExecutionProvider.*\n +type +cpu\n +self-test +passed\n +offered to ggml +yes")
        done = subprocess.run([arguments.info], env=environment(GGML_DIRECTX_ONNXRUNTIME="/nowhere.so"), capture_output=True, text=True, timeout=300)
        self.assertIn("No ONNX Runtime: /nowhere.so", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("probe", "plugin", "runtime", "old-runtime", "info"):
        parser.add_argument("--" + name, required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
