# SPDX-License-Identifier: BSD-3-Clause
# The programs that are compared: workers that answer a line for a line, and whole programs.
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

# The allocator keeps what it was given and asks for huge pages, as findrho's work arrays do: FINUFFT takes its
# work grid anew at each call, and fresh pages cost more than the transform.
POOLED, PLAIN = "FINUFFT, pooled memory", "FINUFFT"
ALLOCATOR = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TOP_PAD_": str(64 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


def environment(options, more=None):
    env = dict(os.environ, OMP_NUM_THREADS=str(options.threads), **(more or {}))
    if options.clock == "cpu":
        env["OMP_WAIT_POLICY"] = "passive"  # waiting in a loop would count
    return env


class Worker:
    def __init__(self, name, command, options, more=None):
        self.name = name
        self.process = subprocess.Popen(command + [str(options.threads), options.clock], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment(options, more))

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise RuntimeError(f"{self.name}, {line.split()[0]}: {answer or 'ended'}")
        return answer

    def times(self, line):
        return [float(word) for word in self.ask(line).split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def findrho_worker(options):
    return Worker("findrho", [str(options.worker)], options)


def finufft_worker(options, pooled):
    script = Path(__file__).parent / "finufft_worker.py"
    return Worker(POOLED if pooled else PLAIN, [sys.executable, str(script)], options, ALLOCATOR if pooled else None)


def finufft_version():
    """None where it is not installed."""
    code = "import finufft; print(finufft.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def bart_version(bart):
    try:
        return subprocess.run([bart, "version"], capture_output=True, text=True).stdout.strip() or None
    except OSError:
        return None


def interleaved(jobs, budget_s, turns=3, most=25):
    """jobs: name -> function returning its time in ms. Takes turns until the time is spent, `turns` at least; the
    medians. OpenMP's threads spin for some milliseconds after their work, on the cores that the next program needs:
    each waits for that to end, and where it can, runs a first time that does not count."""
    taken = {name: [] for name in jobs}
    start = time.perf_counter()
    for turn in range(most):
        if turn >= turns and time.perf_counter() - start > budget_s:
            break
        for name, job in jobs.items():
            time.sleep(0.03)
            first = job()
            again = int(min(8, 60 // first)) if first < 60 else 0
            taken[name] += [job() for _ in range(again)] or [first]
    return {name: statistics.median(times) for name, times in taken.items()}, min(len(t) for t in taken.values())


# Run by a small process of its own: a child's peak memory counts what its parent was when it was made.
LAUNCH = """
import os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
_, status, usage = os.wait4(process.pid, 0)
wall = time.perf_counter() - start
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
"""


class ProgramFailed(RuntimeError):
    pass


def run_program(command, options, cwd):
    """Time in seconds and peak memory in MiB of a whole program."""
    words = [str(word) for word in command]
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCH] + words, cwd=cwd, env=environment(options),
                          capture_output=True, text=True)
    answer = done.stdout.split()
    if len(answer) != 4 or answer[3] != "0":
        raise ProgramFailed(f"{words[0]}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
    return float(answer[options.clock == "cpu"]), float(answer[2])
