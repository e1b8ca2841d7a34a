# SPDX-License-Identifier: BSD-3-Clause
# The trajectories of the bench, its data, and the exact sums at probe points that every result is compared with.
import numpy as np

GOLDEN = (1 + 5 ** 0.5) / 2


def radial_2d(n, count, seed):
    """Full spokes of n samples in golden-angle order."""
    spokes = count // n
    angle = np.pi * (np.arange(spokes) / GOLDEN % 1)[:, None]
    radius = (np.arange(n) - n // 2)[None, :]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * radius * angle], -1).reshape(-1, 3)


def spiral_2d(n, count, seed):
    """Archimedean interleaves, samples at equal distances."""
    interleaves = 48
    s = np.sqrt((np.arange(count // interleaves) + 0.5) / (count // interleaves))[None, :]
    angle = 2 * np.pi * (s * n / 2 / interleaves + np.arange(interleaves)[:, None] / interleaves)
    k = np.stack([n / 2 * s * np.cos(angle), n / 2 * s * np.sin(angle), 0 * angle], -1)
    return k.reshape(-1, 3)


def radial_3d(n, count, seed):
    """Full spokes of n samples, directions from the two-dimensional golden means."""
    spokes = np.arange(count // n)
    z = 1 - (spokes * 0.4656 % 1)
    phi = 2 * np.pi * (spokes * 0.6823 % 1)
    direction = np.stack([np.sqrt(1 - z * z) * np.cos(phi), np.sqrt(1 - z * z) * np.sin(phi), z], -1)
    radius = np.arange(n) - n // 2
    return (radius[None, :, None] * direction[:, None, :]).reshape(-1, 3)


def random_3d(n, count, seed):
    return np.random.default_rng(seed).uniform(-n / 2, n / 2, (count, 3))


class Problem:
    """name, matrix (x, y, z), k (sample, 3) in cycles per FOV, one complex image and samples per coil."""

    def __init__(self, name, matrix, make, count, coils):
        self.name, self.matrix, self.coils = name, matrix, coils
        self.k = make(matrix[0], count, 7)
        rng = np.random.default_rng(11)
        x, y, z = matrix
        self.image = noise(rng, (coils, z, y, x))
        self.samples = noise(rng, (coils, len(self.k)))

    def write(self, folder):
        self.k.astype(np.float64).tofile(folder / "k.bin")
        self.image.tofile(folder / "image.bin")
        self.samples.tofile(folder / "samples.bin")

    def load_command(self, folder):
        return f"load {folder} {self.coils} {' '.join(map(str, self.matrix))}"


def noise(rng, shape):
    return (rng.standard_normal(shape, np.float32) + 1j * rng.standard_normal(shape, np.float32)).astype(np.complex64)


class Probes:
    """Exact sums in double: type 2 at some samples, type 1 on a small product set of voxels; first and last coil."""

    def __init__(self, problem):
        rng = np.random.default_rng(5)
        self.name = problem.name
        k, (x, y, z) = problem.k, problem.matrix
        dims = 3 if z > 1 else 2
        self.coils = sorted({0, problem.coils - 1})
        self.samples = rng.integers(0, len(k), 128)
        per_axis = 5 if dims == 3 else 11
        self.voxels = [np.sort(rng.integers(0, n, per_axis if n > 1 else 1)) for n in problem.matrix]
        self.image_shape = (problem.coils, z, y, x)
        self.type2 = [self._forward(problem.image[c], k[self.samples], problem.matrix) for c in self.coils]
        self.type1 = self._adjoint([problem.samples[c] for c in self.coils], k, problem.matrix)

    @staticmethod
    def _phases(k, n, voxels, sign):
        return np.exp(sign * 2j * np.pi * np.outer((voxels - n // 2) / n, k))

    def _forward(self, image, k, matrix):
        e = [self._phases(k[:, d], n, np.arange(n), -1) for d, n in enumerate(matrix)]
        planes = image.astype(np.complex128) @ e[0]
        return np.einsum("zym,ym,zm->m", planes, e[1], e[2], optimize=True)

    def _adjoint(self, coils, k, matrix):
        totals = [0] * len(coils)
        for at in range(0, len(k), 1 << 18):
            part = slice(at, at + (1 << 18))
            e = [self._phases(k[part, d], n, self.voxels[d], 1) for d, n in enumerate(matrix)]
            yz = (e[2][:, None, :] * e[1][None, :, :]).reshape(-1, e[0].shape[1])
            totals = [t + yz @ (e[0] * c[part].astype(np.complex128)).T for t, c in zip(totals, coils)]
        return [t.reshape(len(self.voxels[2]), len(self.voxels[1]), -1) for t in totals]

    def error(self, what, path):
        """The larger relative l2 error of the two coils' probe points."""
        result = np.fromfile(path, np.complex64)
        if what == "type2":
            got = [result.reshape(self.image_shape[0], -1)[c][self.samples] for c in self.coils]
            want = self.type2
        else:
            x, y, z = self.voxels
            got = [result.reshape(self.image_shape)[c][np.ix_(z, y, x)] for c in self.coils]
            want = self.type1
        return max(np.linalg.norm(g - w) / np.linalg.norm(w) for g, w in zip(got, want))
