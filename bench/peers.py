# SPDX-License-Identifier: BSD-3-Clause
# The programs that are compared: workers that answer a line for a line, and whole programs.
import os
import signal
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


class ProgramFailed(RuntimeError):
    """A program ended that should not have, or with an error."""


class Refused(RuntimeError):
    """A worker answers that it cannot do this."""


STARTED = []  # every process, to be ended when the bench is stopped


def started(*arguments, **options):
    """A process group of its own: Ctrl-C is for bench.py, which ends a program together with what that has started."""
    STARTED[:] = [process for process in STARTED if process.poll() is None]
    STARTED.append(subprocess.Popen(*arguments, text=True, preexec_fn=os.setpgrp, **options))
    return STARTED[-1]


def stop_all():
    for process in STARTED:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Worker:
    def __init__(self, name, command, options, more=None):
        self.name = name
        self.process = started(command + [str(options.threads), options.clock], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=environment(options, more))

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise ProgramFailed(f"the worker of {self.name} ended at '{line}'")
        if answer.startswith("error"):
            raise Refused(f"{self.name}, {line.split()[0]}: {answer}")
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
    for turn in range(max(most, turns)):
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
try:
    process = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
except OSError as error:
    sys.exit(f"cannot be started: {error.strerror}")
_, status, usage = os.wait4(process.pid, 0)
wall = time.perf_counter() - start
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
"""


def run_program(command, options, cwd):
    """Time in seconds and peak memory in MiB of a whole program."""
    words = [str(word) for word in command]
    process = started([sys.executable, "-S", "-c", LAUNCH] + words, cwd=cwd, env=environment(options),
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    answer, said = process.communicate()
    answer = answer.split()
    if len(answer) != 4 or answer[3] != "0":
        name, line = Path(words[0]).name, (said.strip().splitlines() or ["failed without a word"])[0]
        raise ProgramFailed(line if line.startswith(name + ":") else f"{name}: {line}")
    return float(answer[options.clock == "cpu"]), float(answer[2])
