# SPDX-License-Identifier: BSD-3-Clause
# findrho study as its user meets it: the table, the files, and what wrong input gets.
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FINDRHO = os.environ["FINDRHO"]


class Study(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def study(self, *arguments):
        command = [FINDRHO, "study", "--matrix", "32x32", "--device", "cpu", *map(str, arguments)]
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=1)
