# SPDX-License-Identifier: BSD-3-Clause
# findrho study as its user meets it: the table, the files, and what wrong input gets.
import csv
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FINDRHO = os.environ["FINDRHO"]


class Study(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def study(self, *arguments):
        matrix = [] if "--matrix" in arguments else ["--matrix", "32x32"]
        command = [FINDRHO, "study", *matrix, "--device", "cpu", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=240)

    def test_table_csv_and_json_hold_the_same_rows(self):
        files = [self.folder / name for name in ("s.csv", "s.json", "s.png")]
        outputs = [word for file in files for word in ("-o", file)]
        result = self.study("--trajectory", "cartesian", "spiral:shots=4", "--snr", "0,20", *outputs)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(files[0].read_text().splitlines()))
        report = json.loads(files[1].read_text())
        lines = result.stdout.splitlines()
        self.assertEqual(len(rows), 8)
        self.assertEqual(len(lines), 1 + len(rows))
        for row, entry, line in zip(rows, report["rows"], lines[1:]):
            self.assertAlmostEqual(float(row["psnr_db"]), entry["psnr_db"], delta=1e-5 * entry["psnr_db"])
            self.assertTrue(line.startswith(row["trajectory"]))
            self.assertIn(f"{entry['psnr_db']:.2f}", line)
        self.assertEqual(rows[0]["noise_gain"], "", "without noise there is no gain")
        self.assertIsNone(report["rows"][0]["noise_gain"])
        self.assertEqual(files[2].read_bytes()[:4], b"\x89PNG")

    def test_wrong_input_is_one_line_and_leaves_nothing(self):
        for arguments, word in [
            (["--method", "fft"], "fft"),
            (["--trajectory", "spirall"], "spirall"),
            (["--trajectory", "spiral:shots=none"], "none"),
            (["--trajectory", "radial_3d"], "32 x 32 x 1"),
            (["--snr", "loud"], "loud"),
            (["--motion", "jump"], "jump"),
            (["-o", self.folder / "s.txt"], "s.txt"),
            (["--trajectory", "radial", "radial"], "the trajectory radial is named twice"),
            (["--trajectory", "radial:shots=2,shots=3"], "shots is given twice"),
            (["--trajectory", "spiral_vd:dwell=0"], "the dwell time is 0 us"),
            (["--trajectory", ""], "there is no trajectory ''"),
            (["--method", "cg,"], "--method is ''"),
            (["--method", "cg,cg"], "the method cg is named twice"),
            (["--snr", "20,20.0"], "the SNR 20 is named twice"),
            (["--snr", ""], "--snr is ''"),
            (["--snr", "nan"], "nan"),
            (["--motion", "none", "none"], "the motion none is named twice"),
            (["--motion", "none:turn=5"], "the motion none takes nothing"),
            (["--motion", "drift:shift_z=3"], "cannot leave its plane"),
            (["--seed", "-1"], "-1 is below 0"),
            (["--lambda", "-1"], "lambda is -1, it"),
            (["--phantom", "teapot"], "teapot"),
            (["--matrix", "8x8", "--matrix", "9x9"], "--matrix was given more than once"),
            (["--matrix", "0x32"], "every number has to be positive"),
            (["--matrix", "100000x100000", "--trajectory", "cartesian"], "too many"),
            (["-o", self.folder / "no" / "s.csv"], "there is no folder"),
            (["-o", self.folder / "s.csv", "-o", self.folder / "s.csv"], "named twice as an output"),
            (["--coils", "0", "-o", self.folder / "s.csv"], "coils"),
        ]:
            with self.subTest(arguments=arguments):
                result = self.study(*arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(result.stdout, "")
                lines = [line for line in result.stderr.splitlines() if line.startswith("findrho: ")]
                self.assertEqual(len(lines), 1, result.stderr)
                self.assertIn(word, lines[0])
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_single_voxel_is_a_study_like_any_other(self):
        # The study knows the unit of its own scans, and does not guess it from how far they reach.
        result = self.study("--matrix", "1x1", "--trajectory", "spiral", "--method", "gridding")
        self.assertEqual(result.returncode, 0, result.stderr)

    @unittest.skipIf(os.environ.get("FINDRHO_SANITIZE"), "sanitizers need more address space")
    def test_a_scan_beyond_the_memory_is_refused_before_it_is_made(self):
        limit = 512 << 20

        def small():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        # 1.6 million samples at 20 bytes fit; 24 bytes of each in each of 64 coils, 2.4 GiB, do not.
        command = [FINDRHO, "study", "--matrix", "1024x1024", "--trajectory", "radial", "--coils", "64", "--threads", "1"]
        result = subprocess.run(command + ["--device", "cpu"], capture_output=True, text=True, timeout=240, preexec_fn=small)
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertIn("of memory", result.stderr)

    def test_an_interrupt_is_one_line_and_leaves_nothing(self):
        command = [FINDRHO, "study", "--matrix", "192x192", "--device", "cpu", "-o", self.folder / "s.csv", "-o", self.folder / "s.png"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not any(self.folder.iterdir()):  # the outputs are staged: the work has begun
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertEqual([line for line in err.splitlines() if line.startswith("findrho: ")], ["findrho: stopped on request"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_full_disk_is_named_and_leaves_nothing(self):
        def full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

        command = [FINDRHO, "study", "--matrix", "32x32", "--device", "cpu", "--trajectory", "radial", "-o", self.folder / "s.csv"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=240, preexec_fn=full)
        self.assertEqual((result.returncode, result.stdout), (5, ""), result.stderr)
        self.assertIn(f"cannot write {self.folder / 's.csv'}: File too large", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=1)
