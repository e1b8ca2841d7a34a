#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""findrho simulate from outside: what it refuses, the files it writes, and that BART and h5py read them.
Usage: simulate_test.py [CLASS...] with FINDRHO in the environment."""
import os
import shutil
import subprocess
import tempfile
import unittest

try:
    import h5py
    import nibabel
    import numpy
    MISSING = ""
except ImportError as error:
    MISSING = f"{error} (Debian: python3-h5py, python3-nibabel, python3-numpy)"

PROGRAM = os.environ["FINDRHO"]
NOISE_FLAG = 1 << 18  # ISMRMRD: acquisition is noise measurement


class Folder(unittest.TestCase):
    def setUp(self):
        if MISSING:
            self.skipTest(MISSING)
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)

    def succeed(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def read_cfl(self, name):
        path = os.path.join(self.folder, name)
        with open(path + ".hdr", encoding="ascii") as file:
            dims = list(map(int, file.read().split("\n")[1].split()))
        return numpy.fromfile(path + ".cfl", numpy.complex64).reshape(dims, order="F")


class Refusals(Folder):
    def test_each_wrong_option_gives_one_line_and_leaves_nothing(self):
        self.write("bad.txt", "ellipsoid 1 0 0 0 0.3 0.3 0.3 0\nbox 1 0 0\n")
        self.write("psi.txt", "1 0\n0 1\n")
        cases = [
            (["--phantom", "teapot"], "there is no phantom 'teapot'"),
            (["--phantom", "bad.txt"], "bad.txt, line 2: 4 columns, 9 are needed"),
            (["--phantom", "none.txt"], "cannot read the phantom none.txt"),
            (["--phantom", "head"], "--phantom head needs an anatomy"),
            (["--anatomy", "x.nii"], "--anatomy is for --phantom head"),
            (["--motion", "wobble"], "there is no motion 'wobble'"),
            (["--motion", "drift:turn=x"], "motion: turn is 'x'"),
            (["--motion", "none:turn=5"], "the motion none takes nothing, not 'turn=5'"),
            (["--seed", "-1"], "--seed: -1 is below 0"),
            (["--repetition-time", "-5"], "the repetition time is -5 ms"),
            (["--trajectory", "spiral_vd", "--dwell", "-2"], "the dwell time is -2 us"),
            (["--truth", "truth.png"], "truth.png is not named as a NIfTI image"),
            (["--b0", "xx=3", "--b0-map", "b0.h5"], "b0.h5 is not named as a NIfTI image"),
            (["-o", "scan.txt"], "output scan.txt has no known extension"),
            (["--b0", "q=3"], "a field map has no 'q'"),
            (["--b0", "blob=3/4"], "the blob '3/4' has 2 numbers"),
            (["--t2star", "-4"], "T2* is -4 ms"),
            (["--t2star", "tissue"], "--t2star tissue is for --phantom head"),
            (["--noise-covariance", "psi.txt", "--coils", "3"], "psi.txt, line 1: 2 numbers for 3 coils"),
            (["--noise-covariance", "loops", "--snr", "5"], "one uniform coil has no loop whose noise could be coupled"),
            (["--b0-map", "b0.nii"], "--b0-map was asked for without off-resonance"),
            (["--noise-samples", "100"], "a noise readout of 100 samples was asked for without noise"),
        ]
        before = set(os.listdir(self.folder))
        for options, message in cases:
            result = self.run_program("simulate", "--matrix", "32x32", *options, *([] if "-o" in options else ["-o", "scan.h5"]))
            self.assertNotEqual(result.returncode, 0, options)
            lines = [line for line in result.stderr.splitlines() if line.startswith("findrho: ")]
            self.assertEqual(lines, [f"findrho: {message}"], options)
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_an_unknown_phantom_is_told_all_that_there_are(self):
        result = self.run_program("simulate", "--phantom", "teapot", "-o", "scan.h5")
        for word in ("shepp-logan", "shepp-logan-original", "resolution", "contrast", "head", ".txt"):
            self.assertIn(word, result.stderr.splitlines()[1])


class Files(Folder):
    def test_mrd_has_header_trajectory_and_a_flagged_noise_readout(self):
        out = self.succeed("simulate", "--matrix", "32x32", "--coils", "3", "--trajectory", "radial", "--snr", "30",
                           "--noise-samples", "64", "--noise-covariance", "loops", "-o", "scan.h5", "--truth", "t.nii.gz",
                           "--b0", "blob=60/0/0/0/0.2", "--b0-map", "b0.nii.gz", "--maps", "maps")
        self.assertIn("scan time", out)
        self.assertIn("sum over 128 x 128 voxels", out)
        with h5py.File(os.path.join(self.folder, "scan.h5")) as file:
            xml = file["dataset/xml"][0].decode()
            readouts = file["dataset/data"][:]
        self.assertIn("<trajectory>radial</trajectory>", xml)
        flags = [int(r["head"]["flags"]) & NOISE_FLAG != 0 for r in readouts]
        self.assertEqual(flags, [True] + [False] * (len(readouts) - 1))
        self.assertEqual(len(readouts[1]["data"]), 2 * 3 * 32)
        self.assertEqual(len(readouts[1]["traj"]), 2 * 32)
        truth = nibabel.load(os.path.join(self.folder, "t.nii.gz"))
        self.assertEqual(numpy.squeeze(truth.get_fdata()).shape, (32, 32))
        field = numpy.squeeze(nibabel.load(os.path.join(self.folder, "b0.nii.gz")).get_fdata())
        self.assertAlmostEqual(float(field[16, 16]), 60, places=4)
        self.assertEqual(self.read_cfl("maps").shape[:4], (32, 32, 1, 3))

    def test_bart_reconstructs_a_cfl_scan_and_gives_our_picture(self):
        if shutil.which("bart") is None:
            self.skipTest("BART is not installed (Debian: bart)")
        self.succeed("simulate", "--matrix", "64x48", "--coils", "4", "--trajectory", "radial", "-o", "scan.cfl", "--truth",
                     "t.nii.gz", "--maps", "maps", "--noise-samples", "0")
        self.succeed("recon", "scan.cfl", "--traj", "scan_traj.cfl", "--matrix", "64x48", "--maps", "maps.cfl", "--lambda",
                     "1e-6", "-o", "ours.cfl", "--method", "cg", "--quiet")
        subprocess.run(["bart", "pics", "-S", "-l2", "-r", "1e-6", "-i", "50", "-t", "scan_traj", "scan", "maps", "bart"],
                       cwd=self.folder, check=True, capture_output=True, timeout=120)
        ours, bart = (numpy.squeeze(self.read_cfl(name)) for name in ("ours", "bart"))
        truth = numpy.squeeze(nibabel.load(os.path.join(self.folder, "t.nii.gz")).get_fdata())

        def correlation(a, b):
            return abs(numpy.vdot(a, b)) / numpy.linalg.norm(a) / numpy.linalg.norm(b)

        # Both solve the same least squares; they differ in regularisation and in where they stop, which is felt where the
        # samples say little: the corners of k-space, (1 - pi/4) of it, holding less than 5 % of this object's norm.
        self.assertGreater(correlation(ours, bart), 1 - 0.05**2)
        # Half a voxel away, or turned over, the pictures agree visibly less, with each other and with the truth.
        k = numpy.fft.fftfreq(64)[:, None] + 0 * numpy.fft.fftfreq(48)[None, :]
        shifted = numpy.fft.ifft2(numpy.fft.fft2(bart) * numpy.exp(1j * numpy.pi * k))
        for picture in (ours, bart):
            best = correlation(picture, truth)
            for other in (truth[::-1], truth[:, ::-1], numpy.roll(truth, 1, 0), numpy.roll(truth, 1, 1)):
                self.assertLess(correlation(picture, other), best)
        self.assertLess(correlation(ours, shifted), correlation(ours, bart))


if __name__ == "__main__":
    unittest.main()
