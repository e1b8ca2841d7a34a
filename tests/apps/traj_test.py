#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""findrho traj from outside. Usage: traj_test.py with FINDRHO in the environment."""
import os
import re
import struct
import unittest

from program_test import ProgramTest, run

FLAT = ["cartesian", "radial", "radial_golden", "spiral", "spiral_vd", "rosette", "propeller"]
SOLID = ["radial_3d", "stack_of_stars", "stack_of_spirals", "cones", "tpi", "radial_3d_adapted"]


def png_size(path):
    with open(path, "rb") as file:
        return struct.unpack(">II", file.read(24)[16:])


class Traj(ProgramTest):
    def matrix(self, name):
        return "12x12x12" if name in SOLID else "32x32"

    def test_the_list_names_every_generator(self):
        listed = [line.split()[0] for line in run("traj").stdout.splitlines()]
        self.assertEqual(sorted(listed), sorted(FLAT + SOLID))

    def test_every_generator_states_its_facts(self):
        for name in FLAT + SOLID:
            result = run("traj", name, "--matrix", self.matrix(name))
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)
            for fact in ["source ", "cycles per FOV", "on sample", "mT/m", "T/m/s", "readout", "scan"]:
                self.assertIn(fact, result.stdout, name)

    def test_every_generator_can_be_seen(self):
        for name in FLAT + SOLID:
            picture = self.path(name + ".png")
            result = run("traj", name, "--matrix", self.matrix(name), "--preview", picture, "--quiet")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""), name)
            self.assertGreater(min(png_size(picture)), 500)

    def test_psf_prints_width_and_side_lobe(self):
        result = run("traj", "cartesian", "--matrix", "32x32", "--psf", self.path("p.png"))
        # The Dirichlet kernel of 32 samples: 1.206 voxels; its first side lobe -13.25 dB.
        self.assertRegex(result.stdout, r"FWHM 1\.20\d x 1\.20\d voxels, highest side lobe 21\.\d % \(-13\.[23]\d? dB\)")
        self.assertGreater(min(png_size(self.path("p.png"))), 500)

    def test_files_are_read_back_with_the_same_facts(self):
        facts = run("traj", "rosette", "--matrix", "32x32", "--shots", "3").stdout.splitlines()
        for ending in ("h5", "cfl", "npy", "txt"):
            for units in ("cycles_per_fov", "cycles_per_voxel", "radians", "per_m"):
                file = self.path(f"{units}.{ending}")
                made = run("traj", "rosette", "--matrix", "32x32", "--shots", "3", "-o", file, "--units", units, "--quiet")
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                read = run("traj", file, "--matrix", "32x32", "--dwell", "4", "--input-units", units)
                self.assertEqual(read.returncode, 0, read.stderr)
                for line in facts:
                    if line.startswith(("shots", "readout", "scan")):
                        self.assertIn(line, read.stdout)
                gradient = [float(re.search(r"gradient +([\d.]+)", text).group(1)) for text in ("\n".join(facts), read.stdout)]
                self.assertAlmostEqual(gradient[0], gradient[1], places=2)

    def test_a_delay_moves_dc_off_the_samples(self):
        result = run("traj", "radial", "--matrix", "32x32", "--dwell", "4", "--delay", "1,3")
        self.assertRegex(result.stdout, r"DC +between samples, the nearest 0\.\d+ cycles per FOV away")

    def test_limits_hold_for_every_generator(self):
        self.assertEqual(run("traj", "radial", "--max-gradient", "30").returncode, 0)
        refused = run("traj", "radial", "--max-gradient", "10", "-o", self.path("t.h5"))
        self.assert_refused(refused, 2, "needs a gradient of 21.35 mT/m, the limit is 10 mT/m")
        self.assert_refused(run("traj", "spiral_vd", "--readout-limit", "1", "--shots", "2"), 2, "2 shots take")
        self.assert_refused(run("traj", "tpi", "--readout", "0.5"), 2, "is too short: the")
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_input_is_one_line_and_leaves_no_file(self):
        out = ["-o", self.path("t.h5"), "--preview", self.path("t.png")]
        for arguments, words in [
            (["zigzag"], "there is no trajectory 'zigzag'"),
            (["radial", "--shots", "-4"], "the number of shots is -4"),
            (["radial", "--shots", "many"], "shots is 'many'"),
            (["radial", "--blades", "3"], "takes no blades"),
            (["radial", "--matrix", "32x32x32"], "the matrix is 32 x 32 x 32"),
            (["cones", "--matrix", "32x32"], "the matrix is 32 x 32 x 1"),
            (["spiral_vd", "--max-slew", "0"], "the largest slew rate is 0 T/m/s"),
            (["spiral_vd", "--core", "2"], "the core is 2"),
            (["rosette", "--petals", "0"], "the number of petals is 0"),
            (["radial", "--delay", "1,2,3,4"], "--delay is"),
            (["radial", "--delay", "1000"], "as long as the readout"),
            (["radial", "--repetition-time", "0.01"], "is shorter than a readout"),
            (["radial", "--repetition-time", "nan"], "the repetition time is nan ms"),
            (["radial", "--repetition-time", "-1"], "the repetition time is -1 ms"),
            (["propeller", "--density", "analytic", "--psf", self.path("p.png")], "no closed form"),
            (["spiral_vd", "--dwell", "0"], "the dwell time is 0 us"),
            (["spiral_vd", "--readout-limit", "-1"], "the readout limit is -1 ms"),
            (["radial", "--psf", self.path("p.jpg")], "p.jpg is not named as"),
            (["radial", "--input-units", "radians"], "--input-units is for a trajectory from a file"),
            (["radial", "--density", "none"], "--density is for the point-spread function"),
            (["--shots", "3"], "no trajectory was named"),
        ]:
            self.assert_refused(run("traj", *arguments, *out), 2, words)
            self.assertEqual(os.listdir(self.folder), [], arguments)

    def test_pictures_and_units_go_with_the_right_output(self):
        self.assert_refused(run("traj", "radial", "--preview", self.path("y.jpg")), 2, "y.jpg is not named as", ".png")
        self.assert_refused(run("traj", "radial", "--units", "radians"), 2, "--units is for an output")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_file_is_judged_but_not_designed(self):
        with open(self.path("t.txt"), "w", encoding="ascii") as file:
            file.write("-4 0\n0 0\n3 0\n")
        read = ["traj", self.path("t.txt"), "--matrix", "8x8"]
        self.assertEqual(run(*read, "--dwell", "10", "--max-gradient", "1e4", "--max-slew", "1e9").returncode, 0)
        self.assert_refused(run(*read, "--shots", "5"), 2, "--shots designs a trajectory", "t.txt holds a finished one")
        self.assert_refused(run(*read, "--spoke", "half"), 2, "--spoke designs")

    def test_an_unclear_unit_is_named_with_the_option_of_this_command(self):
        with open(self.path("t.txt"), "w", encoding="ascii") as file:
            file.write("-0.1 0\n0 0\n0.1 0\n")
        result = run("traj", self.path("t.txt"), "--matrix", "8x8")
        self.assert_refused(result, 2, "ambiguous", "name the unit with --input-units: cycles_per_fov")

    def test_damaged_files_are_named(self):
        with open(self.path("t.txt"), "w", encoding="ascii") as file:
            file.write("1 2\n3\n")
        self.assert_refused(run("traj", self.path("t.txt"), "--matrix", "8x8"), 3, "t.txt:2: 1 numbers")
        self.assert_refused(run("traj", self.path("missing.npy"), "--matrix", "8x8"), 3, "missing.npy")
        self.assert_refused(run("traj", self.path("t.doc"), "--matrix", "8x8"), 2, "says no format")


if __name__ == "__main__":
    unittest.main(verbosity=2)
