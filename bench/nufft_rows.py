# SPDX-License-Identifier: BSD-3-Clause
# Rows of the table that come from the workers: NUFFT, planning, Toeplitz product, Q, growth.
import sys

from peers import POOLED, Refused, findrho_worker, finufft_worker, interleaved
from problems import Probes, Problem, radial_2d, radial_3d, random_3d, spiral_2d

TYPES = ("type1", "type2")
# Asked for in turn until the measured errors are within the target: the first that suffices is the fastest in its precision.
FINUFFT_STEPS = (10, 3, 1, 0.3, 0.1)
FINDRHO_STEPS = (1, 0.7, 0.5, 0.2)

FULL = {
    "2D 256, 1e5 radial": ((256, 256, 1), radial_2d, 100_000),
    "2D 256, 3e5 spiral": ((256, 256, 1), spiral_2d, 300_000),
    "2D 256, 1e6 radial": ((256, 256, 1), radial_2d, 1_000_000),
    "3D 128, 284,592 random": ((128, 128, 128), random_3d, 284_592),
    "3D 128, 1e6 radial": ((128, 128, 128), radial_3d, 1_000_000),
    "3D 128, 3e6 radial": ((128, 128, 128), radial_3d, 3_000_000),
}
QUICK = {"2D 64, 1e4 radial": ((64, 64, 1), radial_2d, 10_000), "3D 24, 2e4 radial": ((24, 24, 24), radial_3d, 20_000)}


def say(text):
    print(text, file=sys.stderr, flush=True)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.sufficed = {}  # (problem, target, worker, precision) -> step to begin with

    def names(self):
        return list(QUICK if self.options.quick else FULL)

    def workers(self, coils):
        """FINUFFT with its memory as it comes takes part with one coil only."""
        o = self.options
        found = [findrho_worker(o)]
        if o.finufft:
            found += [finufft_worker(o, pooled) for pooled in ((True, False) if coils == 1 else (True,))]
        return found

    def errors(self, worker, probes):
        errors = {}
        for what in TYPES:
            worker.ask(what)
            worker.ask(f"write {what} {self.folder}/result.bin")
            errors[what] = probes.error(what, self.folder / "result.bin")
        return errors

    def settle(self, worker, probes, target):
        """Plans the worker so that its measured error is within the target, in the precision in which it is faster: single
        precision near its limit takes wider kernels than double. None where the target is out of its reach."""
        precisions = ("",) if worker.name == "findrho" else ("single", "double")
        able = [s for s in (self.settle_in(precision, worker, probes, target) for precision in precisions) if s]
        if len(able) < 2:
            return able[0] if able else None
        for settled in able:
            self.plan(worker, settled)
            settled["glance"] = sum(min(worker.times(what)[0] for _ in range(3)) for what in TYPES)
        fastest = min(able, key=lambda settled: settled["glance"])
        self.plan(worker, fastest)
        return fastest

    def settle_in(self, precision, worker, probes, target):
        key = (probes.name, target, worker.name, precision)
        steps = FINUFFT_STEPS if precision else FINDRHO_STEPS
        for step in steps[steps.index(self.sufficed.get(key, steps[0])):]:
            try:
                plan = worker.times(f"plan {target * step} {precision}".strip())
            except Refused:
                continue  # FINUFFT refuses what single precision cannot reach
            errors = self.errors(worker, probes)
            if max(errors.values()) <= target:
                self.sufficed[key] = step
                return {"asked": target * step, "precision": precision or "single", "errors": errors, "plan_ms": plan,
                        "design": worker.ask("describe")}
        return None

    @staticmethod
    def plan(worker, settled):
        worker.ask(f"plan {settled['asked']} {settled['precision']}")
        for what in TYPES:
            worker.ask(what)  # work arrays are made

    def settle_all(self, workers, probes, target):
        """FINUFFT's memory does not change its errors: its second worker takes over the first one's choice."""
        settled = {}
        for worker in workers:
            before = settled.get(POOLED)
            if before:
                self.plan(worker, before)
                settled[worker.name] = before
            else:
                settled[worker.name] = None if POOLED in settled else self.settle(worker, probes, target)
        return settled

    def time_plans(self, workers, settled, coils):
        """Planning again, when code and memory are warm; it does not depend on the coils."""
        for worker in workers if coils == 1 else ():
            chosen = settled[worker.name]
            words = f"plan {chosen['asked']} {chosen['precision']}"
            settled[worker.name] = dict(chosen, plan_ms=min((worker.times(words) for _ in range(3)), key=sum))
            for what in TYPES:
                worker.ask(what)  # work arrays are made anew

    def problem_rows(self, name, targets, coils):
        matrix, make, count = (QUICK if self.options.quick else FULL)[name]
        problem = Problem(name, matrix, make, count, coils)
        problem.write(self.folder)
        probes = Probes(problem)
        workers = self.workers(coils)
        for worker in workers:
            worker.ask(problem.load_command(self.folder))
        for target in targets:
            settled = self.settle_all(workers, probes, target)
            missing = [n for n, s in settled.items() if s is None]
            if missing:
                say(f"  {name}, {target:g}: not reached by {', '.join(missing)}")
            able = [w for w in workers if settled[w.name]]
            if not able:
                continue
            self.time_plans(able, settled, coils)
            for what in TYPES:
                jobs = {w.name: (lambda w=w: w.times(what)[0]) for w in able}
                medians, repeats = interleaved(jobs, self.options.seconds, self.options.turns)
                medians = {name: t / coils for name, t in medians.items()}
                yield {"group": "nufft", "problem": name, "type": what, "coils": coils, "target": target,
                       "repeats": repeats, "ms_per_coil": medians, "settled": settled}
                say(f"  {name}, {coils} coils, {target:g}, {what}: " +
                    ", ".join(f"{n} {t:.3g} ms" for n, t in medians.items()))
        for worker in workers:
            worker.close()

    def nufft(self):
        targets = (1e-3,) if self.options.quick else self.options.targets
        for name in self.names():
            if self.options.only and self.options.only not in name:
                continue
            for coils in self.options.coils:
                yield from self.problem_rows(name, targets, coils)

    def kernel_row(self, problem, accuracy, oversampling):
        """In a process of its own, for the memory; a transform onto the doubled grid takes turns with it."""
        worker = findrho_worker(self.options)
        worker.ask(problem.load_command(self.folder))
        before = float(worker.ask("memory"))
        options = f"{accuracy} {oversampling}"
        worker.ask(f"kernel {options}")
        memory = float(worker.ask("memory")) - before
        medians, _ = interleaved({what: (lambda what=what: worker.times(f"{what} {options}")[0])
                                  for what in ("kernel", "doubled")}, self.options.seconds, self.options.turns, most=5)
        worker.close()
        say(f"  {problem.name}, {accuracy:g}: Q {medians['kernel']:.4g} ms, onto the doubled grid "
            f"{medians['doubled']:.4g} ms, {memory:.0f} MiB")
        return {"group": "q", "problem": problem.name, "accuracy": accuracy, "oversampling": oversampling,
                "q_ms": medians["kernel"], "doubled_ms": medians["doubled"], "mib": memory}

    def toeplitz(self):
        """The product against type 2 + type 1 of FINUFFT, and planning Q against a transform onto the doubled grid."""
        names = QUICK if self.options.quick else ("2D 256, 1e5 radial", "3D 128, 284,592 random")
        for name in names:
            matrix, make, count = (QUICK if self.options.quick else FULL)[name]
            problem = Problem(name, matrix, make, count, 8)
            problem.write(self.folder)
            probes = Probes(problem)
            workers = self.workers(8)
            for worker in workers:
                worker.ask(problem.load_command(self.folder))
            ours, peers = workers[0], workers[1:]
            # At 1e-5, a hundredth of the image's default accuracy, the program plans Q.
            for accuracy, oversampling in ((1e-3, 1.25), (1e-5, 0)):
                yield self.kernel_row(problem, accuracy, oversampling)
            ours.ask("kernel 1e-5 0")
            jobs = {ours.name: lambda: ours.times("product")[0]}
            settled = self.settle_all(peers, probes, 1e-3)
            for peer in peers:
                if settled[peer.name]:
                    jobs[peer.name] = lambda p=peer: p.times("type2")[0] + p.times("type1")[0]
            medians, repeats = interleaved(jobs, self.options.seconds, self.options.turns)
            medians = {name: t / 8 for name, t in medians.items()}
            yield {"group": "product", "problem": name, "coils": 8, "repeats": repeats, "ms_per_coil": medians}
            say(f"  {name}, product: " + ", ".join(f"{n} {t:.3g} ms" for n, t in medians.items()))
            for worker in workers:
                worker.close()

    def growth(self):
        """Time per sample and voxel of a problem and of one eight times as large, taking turns."""
        pairs = {"3D 64 -> 128": (Problem("", (64, 64, 64), radial_3d, 125_000, 1), (128, 128, 128), radial_3d, 1_000_000),
                 "2D 256 -> 720": (Problem("", (256, 256, 1), radial_2d, 125_000, 1), (720, 720, 1), radial_2d, 1_000_000)}
        if self.options.quick:
            pairs = {"2D 32 -> 90": (Problem("", (32, 32, 1), radial_2d, 2_000, 1), (90, 90, 1), radial_2d, 16_000)}
        for name, (small, matrix, make, count) in pairs.items():
            large = Problem("", matrix, make, count, 1)
            workers = [findrho_worker(self.options) for _ in range(2)]
            for worker, problem in zip(workers, (small, large)):
                problem.write(self.folder)
                worker.ask(problem.load_command(self.folder))
                worker.ask("plan 1e-3")
                worker.ask("kernel 1e-3 0")
            sizes = [len(p.k) + p.matrix[0] * p.matrix[1] * p.matrix[2] for p in (small, large)]
            for what in TYPES + ("product",):
                for worker in workers:
                    worker.ask(what)
                medians, _ = interleaved({str(i): (lambda w=w: w.times(what)[0]) for i, w in enumerate(workers)},
                                         self.options.seconds, self.options.turns)
                unit = [1e6 * medians[str(i)] / sizes[i] for i in range(2)]
                yield {"group": "growth", "problem": name, "type": what, "ns_per_element": unit,
                       "growth": unit[1] / unit[0]}
                say(f"  {name}, {what}: {unit[0]:.3g} -> {unit[1]:.3g} ns, x {unit[1] / unit[0]:.3g}")
            for worker in workers:
                worker.close()
