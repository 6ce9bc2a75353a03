#!/usr/bin/env python3
"""The shader compiler driver, end to end with Microsoft's compilers: what it makes, what it refuses, and what it says then."""

import argparse
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SHADER = """#include "sub/part.hlsli"
RWByteAddressBuffer dst : register(u0);
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { dst.Store(id.x * 4, part(id.x) + VALUE); }
"""
PART = """// a comment
uint part(uint i) {
    return i * 3u;
}
"""
CATALOGUE = '{ "families": [ { "family": "f", "source": "f.hlsl", "axes": [ { "define": "VALUE", "values": ["1", "2"] } ] } ] }'
TIERS = ("sm51", "sm60", "sm66")

arguments = None


class Driver(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "sub").mkdir()
        self.write("f.hlsl", SHADER)
        self.write("sub/part.hlsli", PART)
        self.write("catalogue.json", CATALOGUE)
        self.archive = self.folder / "out" / "kernels.bin"

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_driver(self, *more, fxc=None, dxc=None, status=0):
        command = [arguments.runner, arguments.driver, "--catalogue", self.folder / "catalogue.json", "--base", self.folder,
                   "--fxc", fxc or arguments.fxc, "--dxc", dxc or arguments.dxc, "--cache", self.folder / "cache", *more]
        done = subprocess.run([str(c) for c in command], cwd="/", capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def build(self, **options):
        return self.run_driver("--output", self.archive, "--depfile", self.folder / "deps", **options)

    def test_builds_and_rebuilds_no_more_than_it_must(self):
        self.assertIn("6 variants, 0 from the cache, 0 failed", self.build())
        first = self.archive.read_bytes()
        magic, version, n_chunks, n_kernels = struct.unpack_from("<8sIII", first)
        self.assertEqual((magic, n_chunks, n_kernels), (b"GDXKERN\n", 3, 6))

        target, files = (self.folder / "deps").read_text().replace("\\\n", " ").split(":", 1)
        self.assertEqual(target, str(self.archive))
        self.assertEqual(set(files.split()), {str(self.folder / n) for n in ("catalogue.json", "f.hlsl", "sub/part.hlsli")})

        self.assertIn("6 variants, 6 from the cache", self.build())
        self.assertEqual(self.archive.read_bytes(), first)

        self.write("sub/part.hlsli", "// another comment, and a line more\n" + PART)
        self.assertIn("6 variants, 6 from the cache", self.build())
        self.assertEqual(self.archive.read_bytes(), first)

        self.write("sub/part.hlsli", PART.replace("3u", "5u"))
        self.assertIn("6 variants, 0 from the cache", self.build())
        self.assertNotEqual(self.archive.read_bytes(), first)

        self.write("catalogue.json", CATALOGUE.replace('"2"', '"2", "3"'))
        self.assertIn("9 variants, 6 from the cache", self.build())

        for entry in (self.folder / "cache").rglob("*"):
            if entry.is_file():
                entry.write_bytes(entry.read_bytes()[:-1] + b"x")
        self.assertIn("9 variants, 0 from the cache, 0 failed", self.build())

    def test_filters(self):
        self.assertIn("2 variants, 0 from", self.run_driver("--check", "--tier", "sm60", "--family", "f"))
        self.assertEqual(self.run_driver("--list", "--name", "f.2").split(), ["sm51", "f.2", "sm60", "f.2", "sm66", "f.2"])
        self.assertIn("no such variant", self.run_driver("--check", "--family", "g", status=1))

    def test_an_error_is_shown_where_it_is(self):
        self.write("sub/part.hlsli", PART.replace("i * 3u", "j"))
        told = self.build(status=1)
        self.assertIn("sub/part.hlsli(3,", told)
        self.assertIn("sub/part.hlsli:3:", told)
        for tier in TIERS:
            self.assertIn(f"error: f.1 ({tier}) and 1 more of the family does not compile", told)
        self.assertFalse(self.archive.exists())

    def test_a_warning_is_an_error(self):
        self.write("sub/part.hlsli", "uint2 pair(uint i) { return uint2(i, i); }\n"
                                     "uint part(uint i) {\n    uint v = pair(i);\n    return v;\n}\n")
        told = self.build(status=1)
        self.assertIn("sub/part.hlsli(3,", told)
        self.assertIn("sub/part.hlsli:3:", told)
        self.assertIn("truncation", told)

    def test_one_bad_variant_fails_the_build(self):
        self.write("f.hlsl", SHADER + "\n#if VALUE == 2 && TIER == 66\nno\n#endif\n")
        told = self.build(status=1)
        self.assertIn("6 variants, 0 from the cache, 1 failed", told)
        self.assertIn("error: f.2 (sm66) does not compile", told)
        self.assertFalse(self.archive.exists())
        self.write("f.hlsl", SHADER)
        self.assertIn("0 failed", self.build())

    def test_mistakes_in_the_catalogue_and_missing_files(self):
        self.write("catalogue.json", CATALOGUE.replace('"axes"', '"axis"'))
        self.assertIn('unknown key "axis"', self.build(status=1))
        self.write("catalogue.json", CATALOGUE.replace("f.hlsl", "g.hlsl"))
        self.assertIn("g.hlsl: cannot be opened", self.build(status=1))
        self.write("catalogue.json", CATALOGUE)
        self.write("f.hlsl", SHADER.replace("part.hlsli", "gone.hlsli"))
        self.assertIn("f.hlsl(1): error: ", self.build(status=1))
        self.write("f.hlsl", SHADER)
        self.assertIn("nowhere.dll", self.build(fxc="/nowhere.dll", status=1))
        self.write("broken.dll", "no library")
        self.assertIn("broken.dll: cannot be loaded", self.build(dxc=self.folder / "broken.dll", status=1))

    def test_the_archive_as_an_object(self):
        compiler = shutil.which("x86_64-w64-mingw32-g++")
        if not compiler:
            self.skipTest("no mingw-w64")
        self.build()
        self.run_driver("--reuse", self.archive, "--object", self.folder / "kernels.obj")
        self.write("show.c", '#include <stdio.h>\nextern const unsigned char ggml_directx_kernels_begin[], ggml_directx_kernels_end[];\n'
                             'int main(void) { printf("%d %.7s %d", (int)(ggml_directx_kernels_end - ggml_directx_kernels_begin),\n'
                             '    (const char *)ggml_directx_kernels_begin, (int)((size_t)ggml_directx_kernels_begin % 16)); return 0; }\n')
        subprocess.run([compiler.replace("g++", "gcc"), self.folder / "show.c", self.folder / "kernels.obj", "-o", self.folder / "show.exe"],
                       check=True)
        shown = subprocess.run([arguments.runner, self.folder / "show.exe"], capture_output=True, text=True, timeout=120).stdout
        self.assertEqual(shown.split(), [str(self.archive.stat().st_size), "GDXKERN", "0"])
        self.assertIn("no object files for machine", self.run_driver("--reuse", self.archive, "--object", self.folder / "x.obj",
                                                                     "--machine", "itanium", status=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", required=True, help="runs a Windows program")
    parser.add_argument("--driver", required=True)
    parser.add_argument("--fxc", required=True)
    parser.add_argument("--dxc", required=True)
    arguments, rest = parser.parse_known_args()
    for name in ("runner", "driver", "fxc", "dxc"):
        setattr(arguments, name, str(pathlib.Path(getattr(arguments, name)).absolute()))
    unittest.main(argv=[sys.argv[0], *rest])
