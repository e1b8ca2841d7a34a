# SPDX-License-Identifier: BSD-3-Clause
# Whole programs: findrho recon against BART's pics, on the same cfl files, maps, weight of the identity and iterations.
# Two runs with different iterations give the time of one; what is left is start-up, reading, planning and writing.
import json

import numpy as np

from nufft_rows import say
from peers import ProgramFailed, interleaved, run_program
from report import why


def read_cfl(base):
    lines = (base.parent / (base.name + ".hdr")).read_text().splitlines()
    shape = [int(n) for n in lines[1].split()]
    return np.fromfile(base.parent / (base.name + ".cfl"), np.complex64).reshape(shape, order="F")


def write_cfl(base, array):
    shape = " ".join(map(str, array.shape))
    (base.parent / (base.name + ".hdr")).write_text("# Dimensions\n" + shape + "\n")
    array.astype(np.complex64).ravel(order="F").tofile(base.parent / (base.name + ".cfl"))


def convert_mrd(path, base):
    """MRD -> base_ksp and base_traj, all readouts alike, trajectory in cycles per FOV."""
    import h5py
    with h5py.File(path) as file:
        data = file["dataset/data"][:]
    heads = data["head"]
    keep = [i for i in range(len(data)) if not int(heads["flags"][i]) & (1 << 18)]  # noise readouts
    samples, coils = int(heads["number_of_samples"][keep[0]]), int(heads["active_channels"][keep[0]])
    dims = int(heads["trajectory_dimensions"][keep[0]])
    ksp = np.stack([np.asarray(data["data"][i]).view(np.complex64).reshape(coils, samples) for i in keep], -1)
    traj = np.zeros((3, samples, len(keep)), np.float32)
    for place, i in enumerate(keep):
        traj[:dims, :, place] = np.asarray(data["traj"][i]).reshape(samples, dims).T
    write_cfl(base.parent / (base.name + "_ksp"), ksp.transpose(1, 2, 0)[None])
    write_cfl(base.parent / (base.name + "_traj"), traj)


class ReconBench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def quiet(self, *command):
        run_program(command, self.options, self.folder)

    def simulated(self, name, matrix, coils, trajectory):
        base = self.folder / name
        self.quiet(self.options.findrho, "simulate", "--matrix", matrix, "--coils", coils, *trajectory, "--snr", 20,
                   "-o", f"{base}.h5", "--maps", f"{base}_maps.cfl", "--force", "--quiet")
        convert_mrd(f"{base}.h5", base)

    def heart(self, name):
        """25 measured spokes; maps by ESPIRiT from the centre, once for both programs."""
        data, bart = self.options.data / "heart-radial", self.options.bart
        for part in ("ksp", "traj"):
            for end in (".cfl", ".hdr"):
                (self.folder / f"{name}_{part}{end}").write_bytes((data / f"heart_{part}{end}").read_bytes())
        self.quiet(bart, "nufft", "-i", "-d24:24:1", f"{name}_traj", f"{name}_ksp", "low")
        self.quiet(bart, "fft", "-u", "7", "low", "low_k")
        self.quiet(bart, "resize", "-c", "0", "256", "1", "256", "low_k", "cal")
        self.quiet(bart, "ecalib", "-m1", "-r24", "cal", f"{name}_maps")

    def brain(self, name):
        data = self.options.data / "brain-spiral-3d"
        convert_mrd(data / "brain3d.h5", self.folder / name)
        for end in (".cfl", ".hdr"):
            (self.folder / f"{name}_maps{end}").write_bytes((data / f"brain3d_maps{end}").read_bytes())

    def scans(self):
        simulated_2d = lambda n: self.simulated(n, "256x256", 8, ("--trajectory", "radial"))
        simulated_3d = lambda n: self.simulated(n, "128x128x128", 4, ("--trajectory", "radial_3d", "--shots", "7812"))
        if self.options.quick:
            small = lambda n: self.simulated(n, "64x64", 4, ("--trajectory", "radial"))
            return {"simulated 2D 64, 4 coils": (small, "64x64")}
        return {"heart-radial, 2D 256, 12 coils": (self.heart, "256x256"),
                "brain-spiral-3d, 64x64x16, 4 coils": (self.brain, "64x64x16"),
                "simulated 2D 256, 8 coils": (simulated_2d, "256x256"),
                "simulated 3D 128, 4 coils, 1e6 samples": (simulated_3d, "128x128x128")}

    def findrho(self, scan, matrix, iterations):
        return [self.options.findrho, "recon", f"{scan}_ksp.cfl", "--traj", f"{scan}_traj.cfl", "--matrix", matrix, "--maps",
                f"{scan}_maps.cfl", "--method", "cg", "--coils", "sense", "--iterations", iterations, "--tolerance", "0",
                "--cache", "none", "--threads", self.options.threads, "--image", "complex", "-o", "ours.cfl", "--force",
                "--traj-units", "cycles_per_fov", "--quiet"]

    def pics(self, scan, weight, iterations):
        # -w 1: no scaling of the data, so that the weight means the same in both programs.
        return [self.options.bart, "pics", "-l2", "-r", f"{weight:.8g}", "-w", "1", "-i", iterations, "-t", f"{scan}_traj",
                f"{scan}_ksp", f"{scan}_maps", "theirs"]

    def row(self, name, make, matrix):
        scan = name.split(",")[0].replace(" ", "_")
        few, many = self.options.iterations
        make(scan)
        _, memory = run_program(self.findrho(scan, matrix, many), self.options, self.folder)
        manifest = json.loads((self.folder / "ours.json").read_text())
        phases = {p["phase"]: p["seconds"] for p in manifest["seconds"]}
        voxels = np.prod([int(n) for n in matrix.split("x")])
        weight = manifest["frames"][0]["lambda_absolute"] / voxels  # BART's transforms are divided by sqrt(N)
        jobs = {}
        for iterations in (few, many):
            jobs[f"findrho {iterations}"] = lambda i=iterations: self.timed(self.findrho(scan, matrix, i))
            if self.options.bart:
                jobs[f"BART {iterations}"] = lambda i=iterations: self.timed(self.pics(scan, weight, i))
        medians, repeats = interleaved(jobs, self.options.seconds, self.options.turns)
        row = {"group": "recon", "problem": name, "iterations": many, "repeats": repeats, "phases": phases, "s": {}}
        for program in ("findrho", "BART") if self.options.bart else ("findrho",):
            whole, part = (medians[f"{program} {n}"] / 1e3 for n in (many, few))
            each = (whole - part) / (many - few)
            row["s"][program] = {"whole": whole, "iteration": each, "rest": whole - many * each}
            if each <= 0:
                say(f"  {name}: {program} took no longer for {many} iterations than for {few}: the time of one stays empty")
        row["mib"] = {"findrho": memory}
        if self.options.bart:
            _, row["mib"]["BART"] = run_program(self.pics(scan, weight, many), self.options, self.folder)
            ours, theirs = (np.abs(read_cfl(self.folder / n)).ravel() for n in ("ours", "theirs"))
            scale = ours @ theirs / (theirs @ theirs)
            row["difference"] = float(np.linalg.norm(ours - scale * theirs) / np.linalg.norm(ours))
        say(f"  {name}: " + ", ".join(f"{p} {t['whole']:.3g} s" + (f" ({1e3 * t['iteration']:.3g} ms an iteration)"
                                                                    if t["iteration"] > 0 else "")
                                      for p, t in row["s"].items()) +
            (f", images differ by {row['difference']:.2g}" if "difference" in row else ""))
        return row

    def timed(self, command):
        return 1e3 * run_program(command, self.options, self.folder)[0]

    def missing(self, make):
        """Why a scan cannot be measured here; empty where it can."""
        folder = {self.heart: "heart-radial", self.brain: "brain-spiral-3d"}.get(make)
        if folder and not (self.options.data / folder).is_dir():
            return f"{self.options.data / folder} is not there (--data)"
        return "BART makes its maps" if make == self.heart and not self.options.bart else ""

    def rows(self):
        scans = {name: scan for name, scan in self.scans().items() if not self.options.only or self.options.only in name}
        if not self.options.data.is_dir() and {self.heart, self.brain} & {make for make, _ in scans.values()}:
            say(f"  no folder {self.options.data}: the measured scans are left out (--data)")
            scans = {name: scan for name, scan in scans.items() if scan[0] not in (self.heart, self.brain)}
        for name, (make, matrix) in scans.items():
            reason = self.missing(make)
            if reason:
                say(f"  {name}: left out: {reason}")
                continue
            try:
                yield self.row(name, make, matrix)
            except (OSError, KeyError, ValueError, ProgramFailed) as error:
                say(f"  {name}: left out: {why(error)}")
