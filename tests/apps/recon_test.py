#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""findrho recon and rerun from outside, on small simulated scans: what is refused, what is written, and what is left.
Usage: recon_test.py [CLASS...] with FINDRHO in the environment."""
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

try:
    import h5py
    import nibabel
    import numpy
    MISSING = ""
except ImportError as error:
    MISSING = f"{error} (Debian: python3-h5py, python3-nibabel, python3-numpy)"

PROGRAM = os.environ["FINDRHO"]
SANITIZED = os.environ.get("FINDRHO_SANITIZE", "")
SCANS = None  # the folder that setUpModule simulates into


def run(*arguments, **options):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=120, check=False, **options
    )


def setUpModule():
    global SCANS
    if MISSING:
        raise unittest.SkipTest(MISSING)
    SCANS = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, SCANS)
    scan = ["simulate", "--matrix", "32x32", "--shots", "4", "--snr", "50", "--quiet"]
    for name, extra in (("one", []), ("four", ["--coils", "4", "--maps", f"{SCANS}/maps.cfl"])):
        result = run(*scan, *extra, "-o", f"{SCANS}/{name}.h5")
        if result.returncode != 0:
            raise RuntimeError(result.stderr)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_cfl(name):
    with open(name + ".hdr", encoding="ascii") as file:
        dims = list(map(int, file.read().split("\n")[1].split()))[:4]  # (x, y, z, coil) of one frame
    return numpy.fromfile(name + ".cfl", numpy.complex64).reshape(dims, order="F")


def write_cfl(name, values):
    with open(name + ".hdr", "w", encoding="ascii") as file:
        file.write("# Dimensions\n" + " ".join(map(str, values.shape)) + "\n")
    values.astype(numpy.complex64).ravel(order="F").tofile(name + ".cfl")


class ReconTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def recon(self, scan, *arguments, **options):
        """A quick run; options that are given again replace these."""
        usual = {"--output": "image.nii.gz", "--cache": "none", "--iterations": "3"}
        words = ["recon", scan, "--quiet", *arguments]
        for option, value in usual.items():
            if option not in arguments:
                words += [option, value]
        return run(*words, cwd=self.folder, **options)

    def assert_works(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_refused(self, result, code, *words):
        """One line that says what is wrong, one with the next step, and nothing new in the folder."""
        self.assertEqual(result.returncode, code, result.stderr)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 2, result.stderr)
        self.assertTrue(lines[0].startswith("findrho: ") and lines[1].startswith("  -> "), result.stderr)
        for word in words:
            self.assertIn(word, lines[0])
        self.assertEqual(result.stdout, "")

    def refused(self, code, words, scan, *arguments, **options):
        before = sorted(os.listdir(self.folder))
        self.assert_refused(self.recon(scan, *arguments, **options), code, *words)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def changed(self, change, scan="one.h5"):
        """A copy of a scan with its rows (or its file) changed."""
        path = self.path("changed.h5")
        shutil.copy(os.path.join(SCANS, scan), path)
        with h5py.File(path, "r+") as file:
            data = file["dataset/data"]
            rows = data[:]
            change(rows, file)
            for i, row in enumerate(rows):
                data[i] = row
        return path


class Files(ReconTest):
    def test_truncated_at_any_length(self):
        with open(f"{SCANS}/one.h5", "rb") as file:
            whole = file.read()
        for length in (0, 7, 8, 9, 100, 2048, len(whole) // 3, len(whole) // 2, len(whole) - 9, len(whole) - 1):
            with open(self.path("cut.h5"), "wb") as file:
                file.write(whole[:length])
            self.refused(3, ["cut.h5"], "cut.h5")

    @unittest.skipIf(SANITIZED, "the sanitizer stops at what HDF5 itself does with a damaged file")
    def test_damaged_bytes_end_in_one_line_at_most(self):
        # HDF5 checks few of its own structures. Wherever it trips, even by a crash, the exit is orderly.
        with open(f"{SCANS}/one.h5", "rb") as file:
            whole = file.read()
        random = numpy.random.default_rng(1)
        for _ in range(40):
            damaged = bytearray(whole)
            for at in random.integers(0, 6000, 3):
                damaged[at : at + 4] = random.bytes(4)
            with open(self.path("damaged.h5"), "wb") as file:
                file.write(damaged)
            result = self.recon("damaged.h5", "--iterations", "1", "--force")
            self.assertIn(result.returncode, (0, 1, 2, 3, 4, 6), result.stderr)
            if result.returncode != 0:
                self.assert_refused(result, result.returncode)
                self.assertLessEqual(set(os.listdir(self.folder)), {"damaged.h5", "image.nii.gz", "image.json"})

    def test_other_files_than_raw_data(self):
        with open(self.path("text.h5"), "w", encoding="ascii") as file:
            file.write("text\n")
        self.refused(3, ["not an HDF5 file"], "text.h5")
        self.refused(3, ["no such file"], "none.h5")
        self.refused(3, ["not a regular file"], self.folder)
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--output", "image.h5"))
        self.refused(3, ["images", "not raw data"], "image.h5", "--output", "again.nii.gz")


class Values(ReconTest):
    def set_value(self, field, at, value):
        def change(rows, _):
            values = rows[1][field].copy()
            values[at] = value
            rows[1][field] = values

        return self.changed(change)

    def test_first_value_that_is_no_number_is_named(self):
        self.refused(3, ["readout 1, sample 5, coil 0"], self.set_value("data", slice(11, 30), numpy.nan))
        self.refused(3, ["readout 1, sample 0, coil 0", "inf"], self.set_value("data", 0, numpy.inf))
        self.refused(3, ["trajectory of readout 1, sample 3, column 1"], self.set_value("traj", slice(7, 9), numpy.nan))

    def test_all_zero_samples(self):
        def change(rows, _):
            for row in rows:
                row["data"] = row["data"] * numpy.float32(0)

        self.refused(3, ["samples", "zero"], self.changed(change))

    def test_samples_beyond_the_range_of_the_precision(self):
        def enlarge(rows, _):
            for row in rows:
                row["data"] *= numpy.float32(1e33)

        scan = self.changed(enlarge)
        # |F^H d|^2 sums in double, F^H d itself in float: 1e33 times the scan's sums of some 1e5 leaves its 3.4e38.
        self.refused(3, ["cg cannot make its first step"], scan)
        self.assert_works(self.recon(scan, "--precision", "double"))

    def test_lengths_that_contradict_the_header(self):
        def longer(field, by):
            def change(rows, _):
                rows[1][field] = numpy.resize(rows[1][field], len(rows[1][field]) + by)

            return change

        self.refused(3, ["readout 1", "data values"], self.changed(longer("data", -2)))
        self.refused(3, ["readout 1", "trajectory values"], self.changed(longer("traj", 1)))

    def test_header_numbers_that_cannot_be(self):
        def header(field, value):
            def change(rows, _):
                heads = rows["head"]
                heads[field] = value
                rows["head"] = heads

            return self.changed(change)

        self.refused(3, ["encoding 7", "has 1"], header("encoding_space_ref", 7))
        self.refused(3, ["discards"], header("discard_pre", 65535))
        self.refused(3, ["readout 0 is compressed"], header("flags", 1 << 52))
        self.refused(3, ["none of", "noise"], header("flags", 1 << 18))

    def scaled_trajectory(self, factor, first=None):
        def change(rows, _):
            for row in rows:
                row["traj"] = row["traj"] * numpy.float32(factor)
            if first is not None:
                values = rows[0]["traj"].copy()
                values[0] = first
                rows[0]["traj"] = values

        return self.changed(change)

    def test_trajectory_out_of_range_names_the_unit_it_probably_is_in(self):
        units = ["--traj-units", "radians"]
        self.refused(2, ["|k", "outside", "probably in cycles_per_fov"], f"{SCANS}/one.h5", *units)
        self.assertIn("name the unit with --traj-units", self.recon(f"{SCANS}/one.h5", *units).stderr)
        self.refused(2, ["outside the +-16 of cycles_per_fov"], self.scaled_trajectory(2))
        self.refused(2, ["|kx| = 16.01"], self.scaled_trajectory(1, first=16.01))
        # The edge itself, and the edge as float32 arithmetic leaves it, are in range.
        for edge in (16, -16, numpy.nextafter(numpy.float32(16), numpy.float32(17))):
            self.assert_works(self.recon(self.scaled_trajectory(1, first=edge), "--force"))

    def test_units_are_recognised(self):
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--output", "a.cfl"))
        self.assert_works(self.recon(self.scaled_trajectory(1 / 32), "--output", "b.cfl"))
        # 1/32 is a power of two: the same numbers come out of the reader.
        self.assertEqual(sha256(self.path("a.cfl")), sha256(self.path("b.cfl")))

    def test_too_many_voxels_for_the_samples(self):
        self.refused(3, ["voxels per sample"], f"{SCANS}/one.h5", "--matrix", "1024x1024")

    @unittest.skipIf(SANITIZED, "a sanitizer wants more address space than the test leaves")
    def test_memory_that_is_not_there_is_not_taken(self):
        scan = self.path("volume.h5")
        simulated = run("simulate", "--trajectory", "radial_3d", "--matrix", "16x16x16", "-o", scan, "--quiet")
        self.assertEqual(simulated.returncode, 0, simulated.stderr)
        # Address space for the program and the scan (65 MiB), but not for 72^3 voxels and their doubled grid: 3 Mi cells of
        # Q and half as many lags, 8 and 16 bytes each in double precision, beside 12 MiB of images.
        limit = 100 << 20

        def bound():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        words = ["--matrix", "72x72x72", "--precision", "double", "--threads", "1"]
        self.refused(6, ["memory", "MiB are available"], scan, *words, preexec_fn=bound)


class Maps(ReconTest):
    def test_maps_that_cannot_be(self):
        scan, maps = f"{SCANS}/four.h5", read_cfl(f"{SCANS}/maps")
        write_cfl(self.path("three"), maps[..., :3])
        self.refused(4, ["3 coils", "has 4"], scan, "--maps", "three.cfl")
        self.assert_works(self.recon(scan, "--maps", "three.cfl", "--coil-list", "0,1,2", "--output", "three.nii.gz"))
        write_cfl(self.path("small"), maps[:16])
        self.refused(4, ["x 16", "x 32"], scan, "--maps", "small.cfl")
        write_cfl(self.path("zero"), 0 * maps)
        self.refused(3, ["zeros", "maps"], scan, "--maps", "zero.cfl")
        maps[5, 6, 0, 2:] = numpy.nan
        write_cfl(self.path("nan"), maps)
        self.refused(3, ["first at coil 2, z 0, y 6, x 5"], scan, "--maps", "nan.cfl")
        self.refused(3, ["nowhere.cfl"], scan, "--maps", "nowhere.cfl")

    def test_cfl_headers_that_cannot_be(self):
        maps = read_cfl(f"{SCANS}/maps")
        write_cfl(self.path("bad"), maps[..., :3])
        for text in ("", "# Dimensions\n", "# Dimensions\n0 2\n", "# Dimensions\n9999999999 9999999999\n", "# Dimensions\n32 32 1 4\n"):
            with open(self.path("bad.hdr"), "w", encoding="ascii") as file:
                file.write(text)
            self.refused(3, ["bad."], f"{SCANS}/four.h5", "--maps", "bad.cfl")

    def test_a_cfl_scan_is_the_same_scan(self):
        with h5py.File(f"{SCANS}/four.h5") as file:
            rows = file["dataset/data"][:]
        count = [(len(row["traj"]) // 2) for row in rows]
        samples = numpy.stack([row["data"].view(numpy.complex64).reshape(4, n) for row, n in zip(rows, count)])
        write_cfl(self.path("samples"), samples.transpose(2, 0, 1)[numpy.newaxis])
        k = numpy.stack([row["traj"].reshape(n, 2) for row, n in zip(rows, count)])
        k = numpy.concatenate([k, 0 * k[..., :1]], -1)
        write_cfl(self.path("k"), k.transpose(2, 1, 0))
        self.refused(2, ["no trajectory"], "samples.cfl", "--matrix", "32x32")
        self.refused(2, ["how large the image is"], "samples.cfl", "--traj", "k")
        self.refused(4, ["do not fit"], "k.cfl", "--traj", "samples", "--matrix", "32x32")
        self.assert_works(self.recon("samples.cfl", "--traj", "k", "--matrix", "32x32", "--fov", "220x220", "--output", "a.cfl"))
        self.assert_works(self.recon(f"{SCANS}/four.h5", "--output", "b.cfl", "--whiten", "off"))
        self.assertEqual(sha256(self.path("a.cfl")), sha256(self.path("b.cfl")))


class Outputs(ReconTest):
    def test_existing_output_needs_force(self):
        self.assert_works(self.recon(f"{SCANS}/one.h5"))
        first = sha256(self.path("image.nii.gz"))
        self.refused(5, ["image.nii.gz exists already"], f"{SCANS}/one.h5")
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--force", "--lambda", "0.5"))
        self.assertNotEqual(sha256(self.path("image.nii.gz")), first)
        os.remove(self.path("image.nii.gz"))
        self.refused(5, ["image.json exists already"], f"{SCANS}/one.h5")

    def test_an_input_is_never_overwritten(self):
        shutil.copy(f"{SCANS}/one.h5", self.path("scan.h5"))
        os.symlink("scan.h5", self.path("link.h5"))
        os.link(self.path("scan.h5"), self.path("hard.h5"))
        whole = sha256(self.path("scan.h5"))
        for output in ("scan.h5", "./scan.h5", "link.h5", "hard.h5", f"../{os.path.basename(self.folder)}/scan.h5"):
            self.refused(2, ["is also an input"], "scan.h5", "--output", output, "--force")
        self.refused(2, ["is also an input"], "link.h5", "--output", "scan.h5", "--force")
        self.assertEqual(sha256(self.path("scan.h5")), whole)

    def test_folders(self):
        self.refused(5, ["there is no folder"], f"{SCANS}/one.h5", "--output", "none/image.nii.gz")
        os.mkdir(self.path("taken.nii.gz"))
        self.refused(5, ["is a folder"], f"{SCANS}/one.h5", "--output", "taken.nii.gz", "--force")
        self.refused(5, ["/proc/image.nii.gz"], f"{SCANS}/one.h5", "--output", "/proc/image.nii.gz")
        if os.getuid() != 0:  # root writes everywhere
            os.chmod(self.folder, 0o555)
            self.refused(5, ["Permission denied"], f"{SCANS}/one.h5")
            os.chmod(self.folder, 0o755)

    def test_names_and_kinds_that_do_not_fit(self):
        for words, arguments in (
            (["no known extension"], ["--output", "image.tif"]),
            (["named twice"], ["--output", "a.png", "--output", "./a.png"]),
            (["cannot hold"], ["--output", "a.png", "--image", "complex"]),
            (["cannot hold"], ["--output", "a.h5", "--image", "phase"]),
            (["'phase' twice"], ["--image", "phase,phase"]),
            (["--image has 'amplitude'"], ["--image", "amplitude"]),
        ):
            self.refused(2, words, f"{SCANS}/one.h5", *arguments)

    @unittest.skipIf("thread" in SANITIZED, "under the sanitizer SIGXFSZ ends the program")
    def test_a_full_disk_leaves_the_old_files(self):
        self.assert_works(self.recon(f"{SCANS}/one.h5"))
        old = {name: sha256(self.path(name)) for name in os.listdir(self.folder)}
        for limit in (0, 100, 1000):  # bytes a file may have, as under ulimit -f

            def bound(most=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

            for extension in ("nii.gz", "nii", "h5", "cfl"):
                self.refused(5, ["cannot write"], f"{SCANS}/one.h5", "--output", f"new.{extension}", preexec_fn=bound)
            # HDF5 would add time, descriptor, buffer address and the name of the temporary file.
            reason = self.recon(f"{SCANS}/one.h5", "--output", "new.h5", preexec_fn=bound).stderr
            self.assertIn("File too large", reason)
            self.assertNotIn("errno", reason)
            self.assertNotIn(".tmp-", reason)
            self.refused(5, ["cannot write"], f"{SCANS}/one.h5", "--force", preexec_fn=bound)
        self.assertEqual({name: sha256(self.path(name)) for name in os.listdir(self.folder)}, old)

    def test_a_reader_of_the_progress_that_goes_away_costs_nothing(self):
        command = f"'{PROGRAM}' recon {SCANS}/one.h5 -o image.nii.gz --cache none --progress json 2>&1 >/dev/null | head -c 1"
        subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, check=True)
        deadline = time.monotonic() + 60  # the pipeline ends with head
        while not os.path.exists(self.path("image.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(sorted(os.listdir(self.folder)), ["image.json", "image.nii.gz"])


class Readers(ReconTest):
    def test_every_format_holds_the_same_image_for_independent_readers(self):
        outputs = [word for name in ("a.nii.gz", "a.h5", "a.cfl", "a.png") for word in ("--output", name)]
        self.assert_works(self.recon(f"{SCANS}/four.h5", *outputs))
        self.assert_works(self.recon(f"{SCANS}/four.h5", "--image", "magnitude,phase,complex", "--output", "k.nii.gz"))
        complex_image = read_cfl(self.path("a"))[:, :, 0, 0]
        magnitude = numpy.abs(complex_image)
        # numpy.abs and std::abs of float32 differ by rounding: 1e-6 of the value.
        self.assertEqual(complex_image.shape, (32, 32))
        image = nibabel.load(self.path("a.nii.gz"))
        numpy.testing.assert_allclose(image.get_fdata()[..., 0], magnitude, rtol=1e-6)
        numpy.testing.assert_allclose(image.header.get_zooms()[:2], 220 / 32, rtol=1e-6)
        numpy.testing.assert_array_equal(nibabel.load(self.path("k.nii.gz")).get_fdata(), image.get_fdata())
        numpy.testing.assert_array_equal(numpy.asarray(nibabel.load(self.path("k_complex.nii.gz")).dataobj)[..., 0], complex_image)
        phase = nibabel.load(self.path("k_phase.nii.gz")).get_fdata()[..., 0]
        numpy.testing.assert_allclose(phase, numpy.angle(complex_image), atol=1e-6)
        with h5py.File(self.path("a.h5")) as file:
            groups = []
            file.visititems(lambda name, item: groups.append(name[:-5]) if name.endswith("/data") else None)
            (group,) = groups
            numpy.testing.assert_allclose(file[group + "/data"][0].squeeze().T, magnitude, rtol=1e-6)
            self.assertEqual(list(file[group + "/header"][0]["matrix_size"]), [32, 32, 1])
        if shutil.which("bart"):
            shown = subprocess.run(["bart", "show", "-d", "1", self.path("a")], capture_output=True, text=True, check=True)
            self.assertEqual(shown.stdout.strip(), "32")

    def test_manifest_says_what_was_done(self):
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--seed", "7"))
        with open(self.path("image.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual(manifest["inputs"][0]["sha256"], sha256(f"{SCANS}/one.h5"))
        self.assertEqual(manifest["outputs"], [{"path": "image.nii.gz", "sha256": sha256(self.path("image.nii.gz"))}])
        self.assertEqual((manifest["command"], manifest["seed"], manifest["interrupted"]), ("recon", 7, False))
        self.assertEqual(manifest["options"]["--iterations"]["values"], ["3"])
        frame = manifest["frames"][0]
        self.assertEqual((frame["iterations"], len(frame["objective"])), (3, len(frame["relative_residual"])))
        self.assertEqual(sorted(frame["objective"], reverse=True), frame["objective"])  # cg only descends
        self.assertGreater(manifest["peak_memory_bytes"], 1 << 20)


class Interrupt(ReconTest):
    def start(self):
        """A solve that would not end by itself, some iterations in."""
        words = ["recon", f"{SCANS}/four.h5", "-o", "image.nii.gz", "--cache", "none", "--iterations", "1000000000"]
        words += ["--tolerance", "0", "--normal", "nufft", "--progress", "json"]
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if json.loads(line)["event"] == "iteration":
                return process
        self.fail("no iteration was reported")

    def test_first_writes_the_image_and_marks_it(self):
        process = self.start()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", output)
        self.assertEqual(sorted(os.listdir(self.folder)), ["image.json", "image.nii.gz"])
        with open(self.path("image.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual((manifest["interrupted"], manifest["frames"][0]["stopped_by"]), (True, "cancelled"))
        self.assertGreater(nibabel.load(self.path("image.nii.gz")).get_fdata().max(), 0)
        self.assert_refused(run("rerun", "image.json", "--force", cwd=self.folder), 3, "interrupted")

    def test_second_ends_at_once_and_leaves_nothing(self):
        process = self.start()
        # Two pending signals of different numbers: both handlers run before the solve goes on.
        os.kill(process.pid, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(os.listdir(self.folder), [])


class Rerun(ReconTest):
    def test_gives_identical_bytes_with_any_number_of_threads(self):
        outputs = [word for name in ("a.nii.gz", "a.h5", "a.cfl", "a.png") for word in ("--output", name)]
        self.assert_works(self.recon(f"{SCANS}/four.h5", *outputs, "--threads", "2"))
        before = {name: sha256(self.path(name)) for name in os.listdir(self.folder) if name != "a.json"}
        time.sleep(1.1)  # HDF5 has times in whole seconds, if it has any
        for threads in ("1", "2"):
            result = run("rerun", "a.json", "--force", "--quiet", "--threads", threads, cwd=self.folder)
            self.assert_works(result)
            self.assertEqual(result.stdout.count("same bytes"), 4, result.stdout)
            self.assertEqual({name: sha256(self.path(name)) for name in before}, before)

    def test_refuses_what_cannot_be_repeated(self):
        shutil.copy(f"{SCANS}/one.h5", self.path("scan.h5"))
        self.assert_works(self.recon("scan.h5"))
        before = sorted(os.listdir(self.folder))

        def rerun(*arguments):
            return run("rerun", *arguments, "--quiet", cwd=self.folder)

        self.assert_refused(rerun("image.json"), 5, "exists already")
        with open(self.path("scan.h5"), "r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)
            file.seek(-1, os.SEEK_END)
            file.write(bytes([last[0] ^ 1]))
        self.assert_refused(rerun("image.json", "--force"), 3, "scan.h5 has changed", sha256(self.path("scan.h5")))
        self.assert_refused(rerun("image.nii.gz", "--force"), 3, "no findrho manifest")
        self.assert_refused(rerun("none.json"), 3, "none.json")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        for text in ("", "{}", "[1]", "null", '{"format": "findrho manifest 1"}'):
            with open(self.path("bad.json"), "w", encoding="ascii") as file:
                file.write(text)
            self.assert_refused(rerun("bad.json"), 3, "bad.json is no findrho manifest")


class Cache(ReconTest):
    def entry(self):
        (name,) = os.listdir(self.path("cache"))
        return os.path.join(self.path("cache"), name)

    def test_two_runs_share_a_folder(self):
        words = ["recon", f"{SCANS}/four.h5", "--cache", "cache", "--iterations", "3", "--quiet"]
        runs = [subprocess.Popen([PROGRAM, *words, "-o", f"{i}.cfl"], cwd=self.folder) for i in range(3)]
        self.assertEqual([process.wait(timeout=60) for process in runs], [0, 0, 0])
        self.assertEqual(len({sha256(self.path(f"{i}.cfl")) for i in range(3)}), 1)
        self.assertTrue(self.entry().endswith(".findrho-q"))  # and no temporary file is left

    def test_damaged_entries_are_made_anew(self):
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--cache", "cache", "--output", "image.cfl"))
        image, entry = sha256(self.path("image.cfl")), self.entry()
        with open(entry, "rb") as file:
            whole = file.read()
        for damaged in (b"", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1]), whole + b"?"):
            with open(entry, "wb") as file:
                file.write(damaged)
            words = ["--cache", "cache", "-o", "image.cfl", "--force", "--iterations", "3", "--progress", "plain"]
            result = run("recon", f"{SCANS}/one.h5", *words, cwd=self.folder)
            self.assertEqual(result.returncode, 0)
            self.assertIn("is damaged: computed anew", result.stderr)
            self.assertEqual(sha256(self.path("image.cfl")), image)
            with open(self.entry(), "rb") as file:
                self.assertEqual(file.read(), whole)

    def test_a_folder_that_cannot_be_written_is_no_failure(self):
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--cache", "/proc/cache"))


class Choices(ReconTest):
    def test_every_method_with_every_way_to_combine_coils(self):
        for method in ("gridding", "adjoint", "cg"):
            for coils in ("sense", "rss"):
                for maps in ([], ["--maps", f"{SCANS}/maps.cfl"]):
                    words = ["--method", method, "--coils", coils, *maps, "--force"]
                    if coils == "rss" and maps:
                        self.refused(2, ["uses no sensitivity maps"], f"{SCANS}/four.h5", *words)
                        continue
                    self.assert_works(self.recon(f"{SCANS}/four.h5", *words))
                    self.assertGreater(nibabel.load(self.path("image.nii.gz")).get_fdata().max(), 0)
        self.refused(2, ["ifft needs a Cartesian scan"], f"{SCANS}/four.h5", "--method", "ifft", "--output", "other.nii.gz")

    def test_every_prior_in_both_precisions(self):
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--output", "reference.nii.gz"))
        for prior in ("identity", "differences", "edges"):
            reference = ["--reference", "reference.nii.gz"] if prior == "edges" else []
            images = []
            for precision in ("single", "double"):
                words = ["--prior", prior, "--precision", precision, *reference]
                self.assert_works(self.recon(f"{SCANS}/one.h5", *words, "--output", f"{prior}_{precision}.nii.gz"))
                images.append(nibabel.load(self.path(f"{prior}_{precision}.nii.gz")).get_fdata())
            # Three steps in single precision: rounding of 6e-8 per operation, well below 1e-4 of the largest value.
            numpy.testing.assert_allclose(images[0], images[1], atol=1e-4 * images[1].max())
        self.refused(2, ["needs a reference"], f"{SCANS}/one.h5", "--prior", "edges")
        self.refused(2, ["does not use it"], f"{SCANS}/one.h5", "--reference", "reference.nii.gz", "--output", "other.nii.gz")

    def test_exact_sums_give_the_same_image_and_are_recorded(self):
        self.assert_works(self.recon(f"{SCANS}/four.h5", "--output", "nufft.nii.gz"))
        self.assert_works(self.recon(f"{SCANS}/four.h5", "--fhd", "exact", "--q", "exact", "--output", "exact.nii.gz"))
        nufft, exact = (nibabel.load(self.path(name)).get_fdata() for name in ("nufft.nii.gz", "exact.nii.gz"))
        # The default accuracy is that of the image: 1e-3 of its norm, here of its largest value.
        numpy.testing.assert_allclose(nufft, exact, atol=1e-3 * exact.max())
        self.assertGreater(abs(nufft - exact).max(), 0)
        with open(self.path("exact.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        options = manifest["options"]
        self.assertEqual((options["--fhd"]["values"], options["--q"]["values"]), (["exact"], ["exact"]))
        self.assertIn("exact sums: separable_vector on the CPU", manifest["notes"])
        again = run("rerun", "exact.json", "--force", cwd=self.folder)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("same bytes", again.stdout)
        self.refused(2, ["exact Q"], f"{SCANS}/one.h5", "--q", "exact", "--normal", "nufft")
        self.refused(2, ["exact F^H d"], f"{SCANS}/one.h5", "--fhd", "exact", "--method", "gridding")

    def test_numbers_out_of_range(self):
        for option, value in (
            ("--matrix", "0x32"),
            ("--matrix", "32"),
            ("--fov", "-220x220"),
            ("--fov", "infxinf"),
            ("--shift", "nan,0,0"),
            ("--shift", "1,2,3,4"),
            ("--coil-list", "4"),
            ("--coil-list", "0,0"),
            ("--select", "slice=1"),
            ("--select", "slice=2..1"),
            ("--select", "row=1"),
            ("--merge", "row"),
            ("--seed", "-1"),
            ("--lambda", "-1"),
            ("--lambda", "nan"),
            ("--iterations", "0"),
            ("--tolerance", "-1"),
            ("--accuracy", "0"),
            ("--oversampling", "3"),
            ("--width", "99"),
            ("--window", "hann"),
            ("--kernel", "bilinear"),
            ("--traj-layout", "xyw"),
            ("--density", "file"),
        ):
            self.refused(2, [], f"{SCANS}/four.h5", option, value)

    def test_slices_are_selected_and_merged(self):
        def two_slices(rows, file):
            heads = rows["head"]
            for i, head in enumerate(heads):
                head["idx"]["slice"] = i % 2
            rows["head"] = heads
            xml = file["dataset/xml"][0].decode().replace(
                "<encodingLimits>", "<encodingLimits><slice><minimum>0</minimum><maximum>1</maximum><center>0</center></slice>"
            )
            self.assertIn("<slice>", xml)
            file["dataset/xml"][0] = xml.encode()

        scan = self.changed(two_slices)
        for name, arguments, depth in (("both", [], 2), ("one", ["--select", "slice=1"], 1), ("merged", ["--merge", "slice"], 1)):
            self.assert_works(self.recon(scan, *arguments, "--output", f"{name}.nii.gz"))
            self.assertEqual(nibabel.load(self.path(f"{name}.nii.gz")).shape[2], depth, name)
        # All readouts in one image: the scan before it was divided.
        self.assert_works(self.recon(f"{SCANS}/one.h5", "--output", "whole.nii.gz"))
        merged, whole = (nibabel.load(self.path(name)).get_fdata() for name in ("merged.nii.gz", "whole.nii.gz"))
        numpy.testing.assert_array_equal(merged, whole)


class Reports(ReconTest):
    def test_progress_as_json_lines(self):
        result = run("recon", f"{SCANS}/one.h5", "-o", "a.nii.gz", "--cache", "none", "--progress", "json", cwd=self.folder)
        self.assertEqual(result.returncode, 0)
        events = [json.loads(line) for line in result.stderr.splitlines()]
        begun = [event["text"] for event in events if event["event"] == "phase_begin"]
        ended = [event["text"] for event in events if event["event"] == "phase_end"]
        self.assertEqual(sorted(begun), sorted(ended))
        self.assertLessEqual({"read", "prepare", "solve", "write"}, set(begun))
        steps = [event["step"] for event in events if event["event"] == "iteration"]
        self.assertEqual(steps, sorted(steps))
        self.assertGreater(len(steps), 2)

    def test_quiet_prints_nothing(self):
        result = self.recon(f"{SCANS}/one.h5")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    @unittest.skipIf(SANITIZED, "a sanitizer takes memory of its own")
    def test_dry_run_knows_the_memory_and_writes_nothing(self):
        words = ["--matrix", "256x256", "--whiten", "off", "--threads", "2"]
        scan = self.path("large.h5")
        self.assertEqual(run("simulate", "--matrix", "256x256", "--coils", "4", "-o", scan, "--quiet").returncode, 0)
        before = sorted(os.listdir(self.folder))
        result = run("recon", scan, "--dry-run", "--cache", "none", *words, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertRegex(result.stdout, r"time +about [0-9.e-]+ s\n")
        estimate = float(result.stdout.split("memory")[1].split()[0])
        self.assert_works(self.recon(scan, *words))
        with open(self.path("image.json"), encoding="utf-8") as file:
            peak = json.load(file)["peak_memory_bytes"] / 2**20
        self.assertLess(abs(estimate / peak - 1), 0.2, f"estimated {estimate:.0f} MiB, taken {peak:.0f} MiB")


if __name__ == "__main__":
    unittest.main(verbosity=2)
