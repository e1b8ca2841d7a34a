# SPDX-License-Identifier: BSD-3-Clause
# FINUFFT behind the same commands as findrho_worker.cpp, of which it answers load, plan, type1, type2, write and
# describe. `plan` answers two times: making the plans, and setting their points, for both types together.
import os
import sys
import time

import numpy
import finufft

THREADS = int(sys.argv[1])
now = time.process_time if sys.argv[2:] == ["cpu"] else time.perf_counter


class Worker:
    def load(self, folder, coils, x, y, z):
        self.shape = tuple(int(n) for n in (z, y, x))
        self.dims = 3 if self.shape[0] > 1 else 2
        self.coils = int(coils)
        self.k = numpy.fromfile(folder + "/k.bin").reshape(-1, 3)
        self.image = numpy.fromfile(folder + "/image.bin", numpy.complex64).reshape((self.coils,) + self.shape[-self.dims:])
        self.samples = numpy.fromfile(folder + "/samples.bin", numpy.complex64).reshape(self.coils, -1)
        return "ok"

    def plan(self, accuracy, precision):
        self.plans = None
        kind = numpy.complex64 if precision == "single" else numpy.complex128
        real = numpy.float32 if precision == "single" else numpy.float64
        shape = self.shape[-self.dims:]
        # The last axis of an array is x; FINUFFT takes the points in the order of the array's axes.
        points = [numpy.ascontiguousarray(2 * numpy.pi * self.k[:, d] / shape[-1 - d], real)
                  for d in reversed(range(self.dims))]
        start = now()
        self.plans = [finufft.Plan(kind_of, shape, n_trans=self.coils, eps=float(accuracy), isign=sign, dtype=kind,
                                   nthreads=THREADS) for kind_of, sign in ((1, 1), (2, -1))]
        planned = now()
        for plan in self.plans:
            plan.setpts(*points)
        placed = now()
        one = (lambda a: a[0]) if self.coils == 1 else (lambda a: a)
        self.inputs = [one(self.samples.astype(kind)), one(self.image.astype(kind))]
        self.outputs = [numpy.empty_like(self.inputs[1]), numpy.empty_like(self.inputs[0])]
        return f"{1e3 * (planned - start)} {1e3 * (placed - planned)}"

    def execute(self, which):
        start = now()
        self.plans[which].execute(self.inputs[which], out=self.outputs[which])
        return 1e3 * (now() - start)

    def type1(self):
        return self.execute(0)

    def type2(self):
        return self.execute(1)

    def write(self, what, path):
        self.outputs[int(what[-1]) - 1].astype(numpy.complex64).tofile(path)
        return os.path.getsize(path)

    def describe(self):
        return "FINUFFT " + finufft.__version__


# What FINUFFT's C++ library prints goes to standard error, lest it be taken for an answer.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
worker = Worker()
for line in sys.stdin:
    command, *words = line.split()
    try:
        answer = getattr(worker, command)(*words)
    except Exception as error:
        answer = "error: " + " ".join(str(error).split())
    print(answer, file=answers, flush=True)
