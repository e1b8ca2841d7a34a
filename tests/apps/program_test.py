#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program from outside: exit codes, one-line errors, and what its commands print.
Usage: program_test.py [CLASS...] with FINDRHO and FINDRHO_DATA_DIR in the environment."""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

PROGRAM = os.environ["FINDRHO"]
DATA = os.environ.get("FINDRHO_DATA_DIR", "")


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, check=False, **options)


def measured(name):
    path = os.path.join(DATA, name)
    if not os.path.exists(path):
        raise unittest.SkipTest(f"the measured scan {path} is not there")
    return path


def write_png(path, rows):
    """A grey PNG with 8 bits from rows of numbers, by the format's own definition."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b""))


def write_cfl(name, dims, values):
    with open(name + ".hdr", "w", encoding="ascii") as file:
        file.write("# Dimensions\n" + " ".join(map(str, dims)) + "\n")
    with open(name + ".cfl", "wb") as file:
        for value in values:
            file.write(struct.pack("<ff", value.real, value.imag))


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def assert_refused(self, result, code, *words):
        """One line that says what is wrong, at most one more with the next step, nothing on stdout."""
        self.assertEqual(result.returncode, code, result.stderr)
        lines = result.stderr.splitlines()
        self.assertIn(len(lines), (1, 2), result.stderr)
        self.assertTrue(lines[0].startswith("findrho: "), result.stderr)
        if len(lines) == 2:
            self.assertTrue(lines[1].startswith("  -> "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(result.stdout, "")


class Options(ProgramTest):
    def test_version_is_one_line(self):
        self.assertRegex(run("--version").stdout, r"^findrho \d+\.\d+\.\d+\n$")

    def test_help_of_every_command_names_its_options_and_the_global_ones(self):
        commands = re.findall(r"^  (\w+) ", run("--help").stdout.split("Commands:")[1].split("\n\n")[0], re.MULTILINE)
        self.assertTrue({"info", "compare", "doctor", "man", "completion"} <= set(commands), commands)
        for command in commands:
            result = run(command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn(f"Usage: findrho {command}", result.stdout)
            self.assertIn("--threads N", result.stdout)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 110)

    def test_global_options_may_stand_before_and_after_the_command(self):
        for arguments in (["--threads", "1", "doctor"], ["doctor", "--threads", "1"], ["doctor", "--threads=1"]):
            self.assertRegex(run(*arguments).stdout, r"threads +1\n")

    def start_blocked(self):
        """A run that waits in its first write, since nobody reads the pipe; returns it and the end to read from."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writer, b"\n" * 4096)
        os.set_blocking(writer, True)
        process = subprocess.Popen([PROGRAM, "doctor"], stdout=writer)
        os.close(writer)
        time.sleep(2)
        self.assertIsNone(process.poll())
        return process, reader

    def test_first_interrupt_lets_the_run_end_by_itself(self):
        process, reader = self.start_blocked()
        process.send_signal(signal.SIGINT)
        with os.fdopen(reader, encoding="utf-8") as pipe:
            text = pipe.read()
        self.assertEqual(process.wait(timeout=20), 130)
        self.assertIn("CUDA", text)

    @unittest.skipIf("thread" in os.environ.get("FINDRHO_SANITIZE", ""), "the sanitizer keeps signals back")
    def test_second_interrupt_ends_it_at_once(self):
        process, reader = self.start_blocked()
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)  # two signals sent together may arrive as one
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 130)
        os.close(reader)


class Errors(ProgramTest):
    def test_bad_options_have_code_2_and_one_line(self):
        self.assert_refused(run(), 2, "no command", "findrho --help")
        self.assert_refused(run("ifno"), 2, "'ifno'", "did you mean 'info'?")
        self.assert_refused(run("info", "x", "--jsn"), 2, "'--jsn'", "did you mean '--json'?", "findrho info --help")
        self.assert_refused(run("info"), 2, "FILE", "findrho info --help")
        self.assert_refused(run("doctor", "--threads"), 2, "--threads needs a value")
        self.assert_refused(run("doctor", "--threads", "-1"), 2, "--threads")
        self.assert_refused(run("doctor", "--device", "gpu"), 2, "'gpu'")
        self.assert_refused(run("doctor", "--progress", "loud"), 2, "loud")
        self.assert_refused(run("man", "nothing"), 2, "'nothing'")

    def test_bad_files_have_code_3(self):
        with open(self.path("text.h5"), "w", encoding="ascii") as file:
            file.write("this is no HDF5 file\n")
        self.assert_refused(run("info", self.path("none.h5"), "--quiet"), 3, "none.h5")
        self.assert_refused(run("info", self.path("text.h5"), "--quiet"), 3, "text.h5")
        self.assert_refused(run("info", self.path("none.nii"), "--quiet"), 3, "none.nii")

    def test_sizes_that_differ_have_code_4(self):
        write_png(self.path("a.png"), [[1, 2], [3, 4]])
        write_png(self.path("b.png"), [[1, 2, 3], [3, 4, 5]])
        self.assert_refused(run("compare", self.path("a.png"), self.path("b.png")), 4, "2 x 2", "3 x 2")

    def test_output_that_cannot_be_written_has_code_5(self):
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        self.assert_refused(run("man", "--dir", self.path("file")), 5, "file")
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run([PROGRAM, "man"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 5)
        self.assertIn("standard output", result.stderr)

    def test_a_device_that_is_not_there_has_its_code(self):
        # 7: no CUDA backend or unused device; 8: backend without driver or device. Never a silent fall-back.
        write_png(self.path("a.png"), [[1, 2], [3, 4]])
        result = run("info", self.path("a.png"), "--device", "cuda:63")
        self.assertIn(result.returncode, (7, 8))
        self.assert_refused(result, result.returncode, "  -> ")


class Info(ProgramTest):
    def test_raw_scan(self):
        facts = json.loads(run("info", measured("heart-radial/heart.h5"), "--json", "--quiet").stdout)
        self.assertEqual(facts["format"], "MRD raw data")
        self.assertEqual(facts["readouts"]["imaging"], 25)
        self.assertEqual(facts["readouts"]["samples_each"], "256")
        self.assertEqual(facts["readouts"]["coils"], "12")
        self.assertEqual(facts["encodings"][0]["encoded_matrix"], [256, 256, 1])
        self.assertEqual(facts["encodings"][0]["trajectory_in_file"]["probable_unit"], "cycles_per_voxel")

    def test_flags_are_counted_and_do_not_count_as_imaging(self):
        path = measured("cartesian-r3/meas_MID00349_FID09273_SNR_R3.h5")
        readouts = json.loads(run("info", path, "--json", "--quiet").stdout)["readouts"]
        # Noise and calibration-only readouts are apart: every third of the lines 0..105 is imaging.
        self.assertEqual(readouts["flagged"], {"noise": 1, "calibration": 32, "calibration and imaging": 16})
        self.assertEqual(readouts["imaging"], 36)
        self.assertEqual(readouts["imaging"] + 1 + 32, readouts["total"])

    def test_images_are_not_raw_data(self):
        self.assert_refused(run("info", measured("odd-mrd/b0mapping.h5"), "--quiet"), 3, "images")

    def test_text_names_what_json_names(self):
        write_cfl(self.path("a"), [3, 2, 1, 1], [1, 2j, 3, 4, 5, complex(3, 4) * 2])
        for name in ("a", "a.cfl", "a.hdr"):
            facts = json.loads(run("info", self.path(name), "--json").stdout)
            self.assertEqual(facts["dimensions"], [3, 2])
            self.assertEqual(facts["magnitude"], {"smallest": 1.0, "largest": 10.0})
            text = run("info", self.path(name)).stdout
            self.assertRegex(text, r"dimensions +3 x 2\n")
            self.assertRegex(text, r"  largest +10\n")

    def test_nifti_and_png(self):
        write_png(self.path("a.png"), [[0, 51, 255], [0, 0, 0]])
        facts = json.loads(run("info", self.path("a.png"), "--json").stdout)
        self.assertEqual(facts["matrix"], [3, 2])
        self.assertEqual(facts["magnitude"]["largest"], 1)
        import nibabel
        import numpy

        affine = numpy.diag([2.0, 3.0, 4.0, 1.0])
        nibabel.Nifti1Image(numpy.ones((5, 6, 7), numpy.float32), affine).to_filename(self.path("a.nii.gz"))
        facts = json.loads(run("info", self.path("a.nii.gz"), "--json").stdout)
        self.assertEqual((facts["matrix"], facts["voxel_mm"]), ([5, 6, 7], [2, 3, 4]))


class Compare(ProgramTest):
    def compare(self, image, reference, *options):
        result = run("compare", self.path(image), self.path(reference), "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_a_mask_is_not_overwritten_by_the_picture(self):
        write_png(self.path("a.png"), [[1, 2], [3, 4]])
        write_png(self.path("mask.png"), [[1, 0], [1, 1]])
        with open(self.path("mask.png"), "rb") as file:
            before = file.read()
        arguments = ("--mask", self.path("mask.png"), "--picture", self.path("mask.png"), "--force")
        self.assert_refused(run("compare", self.path("a.png"), self.path("a.png"), *arguments), 2, "is also an input")
        with open(self.path("mask.png"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_options_that_would_do_nothing_are_refused(self):
        write_png(self.path("a.png"), [[1, 2], [3, 4]])
        images = ("compare", self.path("a.png"), self.path("a.png"))
        self.assert_refused(run(*images, "--captions", "a"), 2, "--captions are for a picture")
        captions = ("--captions", "a", "b", "c", "--picture", self.path("p.png"))
        self.assert_refused(run(*images, *captions), 2, "3 captions for 2 images")
        self.assert_refused(run(*images, "--parboil", "--mask", self.path("a.png")), 2, "--parboil compares numbers")
        self.assertEqual(os.listdir(self.folder), ["a.png"])

    def test_numbers_of_a_small_image(self):
        write_cfl(self.path("r"), [2, 2], [4, 0, 0, 3])
        write_cfl(self.path("i"), [2, 2], [3j, 0, 0, 3])  # magnitudes count: one voxel is off by 1
        quality = self.compare("i", "r")
        # MSE = 1/4, so PSNR = 20 log10(4 / 0.5) = 18.0618 dB; NRMSE = 1 / sqrt(16 + 9) = 0.2. Six digits: float32.
        self.assertAlmostEqual(quality["psnr_db"], 18.0618, 4)
        self.assertAlmostEqual(quality["nrmse"], 0.2, 6)
        self.assertEqual((quality["scale_fit"], quality["scale"]), ("none", 1))
        self.assertIsNone(quality["ssim"])  # smaller than its window

    def test_scale_fit_is_named(self):
        write_cfl(self.path("r"), [2, 2], [4, 0, 0, 3])
        write_cfl(self.path("i"), [2, 2], [8, 0, 0, 6])
        quality = self.compare("i", "r", "--scale", "fit")
        self.assertAlmostEqual(quality["scale"], 0.5, 6)
        self.assertLess(quality["nrmse"], 1e-6)
        text = run("compare", self.path("i"), self.path("r"), "--scale", "fit").stdout
        self.assertIn("scale fitted by least squares", text)

    def test_mask_chooses_the_voxels(self):
        write_cfl(self.path("r"), [2, 2], [4, 0, 0, 3])
        write_cfl(self.path("i"), [2, 2], [4, 9, 9, 3])
        write_cfl(self.path("m"), [2, 2], [1, 0, 0, 1])
        quality = self.compare("i", "r", "--mask", self.path("m"))
        self.assertEqual((quality["nrmse"], quality["voxels"], quality["psnr_db"]), (0, 2, None))

    def test_a_picture_is_named_as_png(self):
        write_png(self.path("a.png"), [[1, 2], [3, 4]])
        same = ["compare", self.path("a.png"), self.path("a.png"), "--picture", self.path("both.jpg")]
        self.assert_refused(run(*same), 2, "both.jpg is not named as", ".png")
        self.assertEqual(os.listdir(self.folder), ["a.png"])

    def test_formats_may_differ(self):
        import nibabel
        import numpy

        values = numpy.arange(256, dtype=numpy.uint8).reshape(16, 16)
        write_png(self.path("a.png"), values.tolist())
        # NIfTI is x first, PNG rows are y: the transpose.
        nibabel.Nifti1Image(values.T.astype(numpy.float32), numpy.eye(4)).to_filename(self.path("a.nii"))
        quality = self.compare("a.png", "a.nii", "--scale", "fit")
        self.assertLess(quality["nrmse"], 1e-6)
        self.assertAlmostEqual(quality["scale"], 255, 2)


class Doctor(ProgramTest):
    def test_names_all_pieces(self):
        result = run("doctor", env={**os.environ, "XDG_CACHE_HOME": self.folder})
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("compiler", "fftw-3", "HDF5 1.", "threads", "vectors", "available", "CUDA", "self-test"):
            self.assertIn(word, result.stdout)
        self.assertIn(f"{self.folder}/findrho\n", result.stdout)

    def test_says_what_is_missing_of_cuda_and_how_to_get_it(self):
        text = run("doctor").stdout
        if "cuda:0" not in text:
            self.assertRegex(text, r"missing +\S")
            self.assertRegex(text, r"next step +\S")

    def test_says_when_the_cache_cannot_be_written(self):
        text = run("doctor", env={**os.environ, "XDG_CACHE_HOME": "/proc"}).stdout
        self.assertIn("/proc/findrho: cannot be written", text) if os.getuid() else self.assertIn("/proc/findrho", text)
        text = run("doctor", env={"PATH": os.environ["PATH"]}).stdout
        self.assertIn("neither XDG_CACHE_HOME nor HOME", text)


class Man(ProgramTest):
    def test_pages_are_sound_troff_and_name_every_option(self):
        self.assertEqual(run("man", "--dir", self.folder).returncode, 0)
        pages = os.listdir(self.path("man1"))
        self.assertIn("findrho.1", pages)
        self.assertIn("findrho-info.1", pages)
        for page in pages:
            groff = ["groff", "-ww", "-man", "-Tascii", "-P-c", "-rLL=200n", self.path("man1/" + page)]
            result = subprocess.run(groff, capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""), page)
            text = re.sub(".\b", "", result.stdout)  # bold is a character, a backspace, the character again
            command = page[:-2].split("-")[1:]
            options = re.findall(r"^  (-[^ ].*?)(?:  |$)", run(*command, "--help").stdout, re.MULTILINE)
            self.assertGreaterEqual(len(options), 5)
            for option in options:
                self.assertIn(option, text, page)

    def test_exit_codes_are_those_of_the_contributors_guide(self):
        guide = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "CONTRIBUTING.md")
        with open(guide, encoding="utf-8") as file:
            listed = re.findall(r"^\| (\d+) \|", file.read(), re.MULTILINE)
        self.assertEqual(listed, re.findall(r"^\.B (\d+)$", run("man").stdout, re.MULTILINE))

    def test_one_page_on_stdout(self):
        self.assertTrue(run("man", "info").stdout.startswith(".TH findrho\\-info 1"))


class Completion(ProgramTest):
    def bash(self, *words):
        """What bash offers after the words, the last of which is being typed."""
        script = (
            f'source <("{PROGRAM}" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
            '_findrho; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        result = subprocess.run(["bash", "-c", script, "bash", "findrho", *words], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def test_bash_offers_commands_options_and_values(self):
        self.assertEqual(self.bash("inf"), ["info"])
        self.assertIn("compare", self.bash(""))
        self.assertEqual(self.bash("compare", "--sc"), ["--scale"])
        self.assertEqual(self.bash("compare", "--scale", ""), ["none", "fit"])
        self.assertEqual(self.bash("compare", "--scale", "=", "f"), ["fit"])
        self.assertEqual(self.bash("--device", "cpu", "compare", "--progress", "j"), ["json"])
        self.assertEqual(self.bash("completion", "z"), ["zsh"])
        self.assertEqual(self.bash("compare", "--mask", ""), [])  # left to bash's files

    def test_bash_has_registered_it(self):
        script = f'source <("{PROGRAM}" completion bash); complete -p findrho'
        self.assertIn("-F _findrho findrho", subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout)

    def test_scripts_of_the_other_shells_parse(self):
        for shell in ("zsh", "fish"):
            script = run("completion", shell).stdout
            self.assertIn("--scale" if shell == "zsh" else "-l scale", script)
            if shutil.which(shell):
                with open(self.path(shell), "w", encoding="utf-8") as file:
                    file.write(script)
                subprocess.run([shell, "-n", self.path(shell)], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
