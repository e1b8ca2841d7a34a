# SPDX-License-Identifier: BSD-3-Clause
# findrho ladder and tune as their user meets them: tables, JSON, mri-q files, and what wrong input gets.
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

FINDRHO = os.environ["FINDRHO"]
CPU_RUNGS = {"sequential", "pair", "scatter", "mu", "scatter_fissioned", "gather", "gather_registers", "gather_constant",
             "gather_constant_aos", "gather_constant_padded", "gather_readonly", "gather_fast_trig", "gather_coarse",
             "tuned", "gather_vector", "separable_vector"}
PARBOIL = pathlib.Path(os.environ["FINDRHO_DATA_DIR"]) / "parboil-mri-q"


class Ladder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def run_it(self, *arguments, device="cpu"):
        command = [FINDRHO, *map(str, arguments), "--device", device, "--quiet"]
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)

    def passes(self, *arguments):
        result = self.run_it(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fails(self, *arguments, words):
        result = self.run_it(*arguments)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(words, result.stderr)
        self.assertLessEqual(len(result.stderr.splitlines()), 2, result.stderr)  # what is wrong, and the next step
        return result

    def test_json_has_every_cpu_rung_with_small_errors(self):
        out = self.passes("ladder", "--size", "8x9x10", "--samples", 777, "--json", "--repeats", 1)
        rungs = {r["rung"]: r for r in json.loads(out)["rungs"]}
        self.assertLessEqual(CPU_RUNGS, set(rungs))
        for name, rung in rungs.items():
            self.assertGreater(rung["pairs_per_second"], 0)
            if name != "mu":
                # u 2 pi S sqrt(3)/3 with S = 13.5 turns is 3e-6, sums of 777 terms add u sqrt(777) = 2e-6
                self.assertLess(rung["error"], 1e-5, name)
        self.assertAlmostEqual(rungs["gather"]["op_per_byte"], 13 / 56)
        self.assertAlmostEqual(rungs["gather_registers"]["op_per_byte"], 13 / 28)
        self.assertAlmostEqual(rungs["gather_constant"]["op_per_byte"], 13 / 8)

    def test_slow_rungs_are_extrapolated_and_say_so(self):
        out = self.passes("ladder", "--size", "64x64x64", "--samples", 20000, "--budget", 0.01, "--repeats", 1,
                          "--rungs", "sequential,gather_vector", "--explain")
        self.assertIn("timed on a slice and extrapolated: CPU sequential", out)
        self.assertIn("One thread per pair makes 5.243e+09 threads", out)

    def test_coils_share_a_run(self):
        problem = ("ladder", "--size", "8x9x10", "--samples", 777, "--repeats", 1, "--rungs", "gather_vector,separable_vector", "--json")
        for kind in ("fhd", "forward"):
            out = json.loads(self.passes(*problem, "--coils", 3, "--sum", kind))
            self.assertEqual(out["coils"], 3)
            for rung in out["rungs"]:
                self.assertLess(rung["error"], 1e-5, rung["rung"])  # as for one coil
        self.fails(*problem, "--coils", 3, "--sum", "q", words="Q is the same for all coils")

    def test_double_precision_leaves_single_only_rungs_out(self):
        out = self.passes("ladder", "--size", "8", "--samples", 300, "--precision", "double", "--json", "--sum", "q")
        rungs = {r["rung"]: r for r in json.loads(out)["rungs"]}
        self.assertNotIn("gather_fast_trig", rungs)
        self.assertLess(rungs["gather_vector"]["error"], 1e-13)

    def test_mri_q_is_within_the_benchmarks_tolerance(self):
        if not PARBOIL.exists():
            self.skipTest(f"there is no {PARBOIL}")
        for size in ("small", "large"):
            result = self.folder / f"{size}.out"
            self.passes("ladder", "--input", PARBOIL / f"{size}.bin", "-o", result, "--rungs", "gather_vector", "--budget", 0.1)
            self.assertIn("accepted", self.passes("compare", "--parboil", result, PARBOIL / f"{size}.out"))
        result = self.folder / "small.out"
        self.fails("compare", "--parboil", result, PARBOIL / "large.out", words="32768 voxels")

    def test_unknown_rung_is_named_and_nothing_is_written(self):
        picture = self.folder / "p.png"
        self.fails("ladder", "--rungs", "gathr", "--picture", picture, words="there is no rung 'gathr'")
        self.assertFalse(picture.exists())

    def test_blanks_between_rungs_do_not_count(self):
        out = json.loads(self.passes("ladder", "--size", 4, "--samples", 10, "--json", "--rungs", "gather, gather_vector"))
        self.assertEqual([r["rung"] for r in out["rungs"]], ["gather", "gather_vector"])

    def test_numbers_that_are_none_are_refused(self):
        for option in ("--budget", "--max-psnr-loss", "--snr"):
            for number in ("nan", "inf", "1e999", "-1", "x"):
                self.fails("ladder", "--size", "8x8", f"{option}={number}", words=f"{option}: {number} is not a number from")
        self.fails("tune", "--size", 8, "--pairs", "nan", words="--pairs: nan is not a number from")

    def test_options_that_would_do_nothing_are_refused(self):
        images = ("ladder", "--quality", "--size", "8x8")
        self.fails(*images, "--json", words="--json has no part in the comparison of images")
        self.fails(*images, "--rungs", "gather", words="--rungs has no part in the comparison of images")
        small = ("ladder", "--size", 8, "--samples", 10)
        self.fails(*small, "--snr", 20, words="--snr is for --quality")
        self.fails(*small, "--json", "--explain", words="--explain is text")
        self.fails(*small, "--input", "x.bin", words="--size is for a synthetic scan")
        # Before the climb, which takes minutes at the size that stands when none is given.
        self.fails("ladder", "--output", self.folder / "q.out", words="--output is the result of an mri-q input")
        self.assertEqual(os.listdir(self.folder), [])

    def test_rung_that_does_not_run_on_such_a_sum_is_refused(self):
        small = ("ladder", "--size", "8", "--samples", 100, "--rungs")
        self.fails(*small, "gather_vector,separable_fp16", words="'separable_fp16' runs on a CUDA device only")
        self.fails(*small, "gather_coarse", "--precision", "double", words="'gather_coarse' has no double precision")
        if PARBOIL.is_dir():
            self.fails("ladder", "--input", PARBOIL / "small.bin", "--rungs", "separable_vector", words="needs positions on a grid")

    def test_rungs_with_chunks_are_timed_on_less_than_one(self):
        out = json.loads(self.passes("ladder", "--size", "48", "--samples", 4000, "--repeats", 1, "--budget", 0.02, "--rungs",
                                     "sequential,gather_constant,gather_coarse,tuned", "--json"))
        for rung in out["rungs"]:
            # 4.4e8 pairs, and no core makes 2e9 a second with these.
            self.assertTrue(rung["extrapolated"], rung["rung"])

    def test_images_by_the_separable_rungs_lose_nothing(self):
        problem = ("ladder", "--size", "8", "--samples", 100, "--repeats", 1, "--json")
        in_double = json.loads(self.passes(*problem, "--precision", "double", "--rungs", "gather_vector"))["rungs"][0]
        exact = in_double["phantom"]["psnr_db"]
        every = json.loads(self.run_it(*problem, device="auto").stdout)["rungs"]  # a device's too, where there is one
        rungs = [r for r in every if r["rung"].startswith("separable")]
        self.assertTrue(rungs)
        for rung in rungs:
            lost = 0.1 if rung["rung"] in ("separable_tf32", "separable_fp16") else 0.05
            self.assertLess(abs(rung["phantom"]["psnr_db"] - exact), lost, rung["rung"])

    def test_file_that_is_not_mri_q_is_refused(self):
        file = self.folder / "x.bin"
        file.write_bytes(b"not an mri-q file at all")
        result = self.folder / "q.out"
        self.fails("ladder", "--input", file, "-o", result, words="is not an mri-q input file")
        self.assertFalse(result.exists())

    def test_rung_without_sums_gives_no_q(self):
        self.fails("ladder", "--input", "x.bin", "-o", self.folder / "q.out", "--rungs", "mu",
                   words="--output is Q, and mu only makes the weights")
        self.assertEqual(os.listdir(self.folder), [])

    def test_sizes_that_do_not_fit_are_refused(self):
        self.fails("ladder", "--size", "4096x4096x4096", "--samples", 10, words="MiB")
        self.fails("ladder", "--size", "1x1x1", words="--size is 1x1x1")

    def test_picture_is_written(self):
        picture = self.folder / "p.png"
        self.passes("ladder", "--size", "8", "--samples", 100, "--repeats", 1, "--picture", picture)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")

    def test_every_rung_has_its_phantom(self):
        out = json.loads(self.passes("ladder", "--size", "8", "--samples", 100, "--repeats", 1, "--budget", 0.01, "--json"))
        rungs = {r["rung"]: r["phantom"] for r in out["rungs"] if r["rung"] != "mu"}
        self.assertLessEqual(CPU_RUNGS - {"mu"}, set(rungs))
        best = rungs["gather_vector"]["psnr_db"]
        for name, phantom in rungs.items():
            # The textbook's margin between double and single precision.
            self.assertLess(abs(phantom["psnr_db"] - best), 0.05, name)
            self.assertGreater(phantom["from_double"], 0, name)

    def test_amdahl_adds_the_whole_reconstruction(self):
        problem = ("ladder", "--size", "16", "--samples", 2000, "--rungs", "sequential,gather_vector", "--amdahl")
        whole = json.loads(self.passes(*problem, "--json"))["whole_reconstruction"]
        self.assertEqual([r["rung"] for r in whole["rungs"]], ["sequential", "gather_vector"])
        slow, fast = whole["rungs"]
        self.assertGreater(slow["q_seconds"], fast["q_seconds"])
        self.assertEqual(slow["solve_seconds"], fast["solve_seconds"])
        self.assertIn("30 iterations of CG", self.passes(*problem))
        self.fails(*problem, "--sum", "q", words="--amdahl is about a whole reconstruction")

    def test_tune_remembers_and_ladder_uses_it(self):
        problem = ("--size", "16", "--samples", 2000)
        out = json.loads(self.passes("tune", *problem, "--pairs", 1e7, "--repeats", 1, "--json"))
        self.assertEqual(out["exhaustive"]["timed"], 80)
        self.assertLess(out["one_knob_at_a_time"]["timed"], 20)
        best = out["exhaustive"]["best"]
        rung = json.loads(self.passes("ladder", *problem, "--rungs", "gather_vector", "--json"))["rungs"][0]
        self.assertEqual((rung["block"], rung["chunk"]), (best["block"], best["chunk"]))

    def test_tune_shows_what_it_cannot_remember(self):
        (self.folder / "cache").write_text("a file where the folder would be")
        result = self.run_it("tune", "--size", 8, "--samples", 10, "--pairs", 1e6, "--repeats", 1)
        self.assertEqual(result.returncode, 5)
        self.assertIn("exhaustive", result.stdout)
        self.assertIn("set XDG_CACHE_HOME to a folder that can be written", result.stderr)

    def test_lab_pictures_need_a_folder(self):
        (self.folder / "file").write_text("no folder")
        result = self.fails("lab", "access", "--small", "--pictures", self.folder / "file", words="cannot make the folder")
        self.assertEqual((result.returncode, result.stdout), (5, ""))

    def test_lab_pictures_are_written_whole_or_not_at_all(self):
        pictures = self.folder / "pictures"
        self.passes("lab", "access", "--small", "--pictures", pictures)
        self.assertEqual(sorted(os.listdir(pictures)), ["access.png", "access.svg"])
        before = {name: (pictures / name).read_bytes() for name in os.listdir(pictures)}
        command = [FINDRHO, "lab", "access", "--small", "--device", "cpu", "--quiet", "--pictures", str(pictures)]
        # No file may grow beyond a byte, as on a full disk.
        bound = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=bound, timeout=60)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertEqual({name: (pictures / name).read_bytes() for name in os.listdir(pictures)}, before)

    def test_quality_has_the_textbooks_order(self):
        out = self.passes("ladder", "--quality", "--size", "64x64")
        psnr = {}
        for line in out.splitlines():
            words = [w for w in line.split("  ") if w.strip()]
            if len(words) >= 3:
                try:
                    psnr.setdefault(words[0].strip(), float(words[1]))
                except ValueError:
                    pass
        exact, single = psnr["spiral, iterative, CPU double"], psnr["spiral, iterative, CPU single"]
        floor = next(v for k, v in psnr.items() if k.startswith("spiral, bilinear gridding, no weights"))
        self.assertLess(abs(exact - single), 0.05)
        self.assertGreater(exact - floor, 10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=1)
