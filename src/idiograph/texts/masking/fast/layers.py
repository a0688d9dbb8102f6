"""The products behind every layer, compiled: by tiles of rows and columns, with maxout and layer norm.

Every sum is added in the order of BLIS's portable kernel, on which spaCy's products run where BLIS does not know the
processor: one product after the other, rounded at every step, in blocks of 256, then block after block. Layer norm adds
as NumPy does, eight sums side by side. There is nothing but + − × ÷ here, so the bits are the same on every processor.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from idiograph.compiling import compiled, run

Floats = npt.NDArray[np.float32]

_FEATURES = cpu_target.target_context.codegen().magic_tuple()[2].split(",")
LANES = 16 if "+avx512f" in _FEATURES else 8 if "+avx2" in _FEATURES else 4
"""Numbers that the processor multiplies at once: a matter of speed alone, since each has a sum of its own."""

WIDTH = 96  # numbers a token has between the layers
_PIECES = 3  # of a maxout
_ROWS = 8 if LANES == 16 else 4  # of a tile that is three vectors wide: as many sums as there are registers
_WIDE = 4  # vectors
_WIDE_ROWS = 6 if LANES == 16 else 2
_BLOCK = 256  # products that BLIS adds up before it adds them to the rest
_WIDTH = np.float32(WIDTH)


def _tile(rows: int, columns: int) -> Any:
    """The innermost loop, which is not left to the compiler: rows × columns vectors of sums that stay in registers.

    sums[r, c, :] = Σ x[at[r] + i]·w[w_at + i, c, :] over i < n, one after the other; unless it is the first block, what
    stood there is added.
    """

    @intrinsic
    def tile(_typing: Any, x: Any, at: Any, w: Any, w_at: Any, n: Any, first: Any, sums: Any) -> Any:
        def code(context: Any, build: Any, signature: Any, given: Any) -> Any:
            vector, whole, small = ir.VectorType(ir.FloatType(), LANES), ir.IntType(64), ir.IntType(32)
            undefined = ir.Constant(vector, ir.Undefined)
            everywhere = ir.Constant(ir.VectorType(small, LANES), [0] * LANES)

            def moved(pointer: Any, by: Any) -> Any:
                return build.gep(pointer, [ir.Constant(whole, by) if isinstance(by, int) else by])

            def as_vector(pointer: Any) -> Any:
                return build.bitcast(pointer, vector.as_pointer())

            x_data, at_data, w_data, out = (
                context.make_array(signature.args[number])(context, build, given[number]).data
                for number in (0, 1, 2, 6)
            )
            w_data = moved(w_data, given[3])
            row_data = [moved(x_data, build.load(moved(at_data, row))) for row in range(rows)]
            before, loop, after = build.block, build.append_basic_block(), build.append_basic_block()
            build.branch(loop)
            build.position_at_end(loop)
            i = build.phi(whole)
            added = [[build.phi(vector) for _ in range(columns)] for _ in range(rows)]
            w_row = moved(w_data, build.mul(i, ir.Constant(whole, columns * LANES)))
            weights = [build.load(as_vector(moved(w_row, column * LANES)), align=4) for column in range(columns)]
            for row in range(rows):
                value = build.insert_element(undefined, build.load(moved(row_data[row], i)), ir.Constant(small, 0))
                value = build.shuffle_vector(value, undefined, everywhere)
                for total, weight in zip(added[row], weights, strict=True):
                    total.add_incoming(ir.Constant(vector, [0.0] * LANES), before)
                    total.add_incoming(build.fadd(total, build.fmul(value, weight)), loop)
            following = build.add(i, ir.Constant(whole, 1))
            i.add_incoming(ir.Constant(whole, 0), before)
            i.add_incoming(following, loop)
            build.cbranch(build.icmp_signed("<", following, given[4]), loop, after)
            build.position_at_end(after)
            for number, total in enumerate(total.incomings[1][0] for row in added for total in row):
                pointer = as_vector(moved(out, number * LANES))
                both = build.fadd(build.load(pointer, align=4), total)
                build.store(build.select(given[5], total, both), pointer, align=4)
            return context.get_dummy_value()

        return types.void(x, at, w, types.int64, types.int64, types.boolean, sums), code

    return tile


_maxout_tile, _wide_tile, single_tile = _tile(_ROWS, _PIECES), _tile(_WIDE_ROWS, _WIDE), _tile(1, _WIDE)


def packed_maxout(weights: Floats) -> Floats:
    """Weights (output, piece, input) as the tiles read them: some outputs at a time, input by input, piece by piece."""
    n_out, n_pieces, n_in = weights.shape
    return np.ascontiguousarray(weights.reshape(n_out // LANES, LANES, n_pieces, n_in).transpose(0, 3, 2, 1)).ravel()


def packed(weights: Floats) -> Floats:
    """Weights (output, input) as the wide tiles read them, with outputs of 0 up to a multiple of 64."""
    n_out, n_in = weights.shape
    whole = np.zeros((-(-n_out // 64) * 64, n_in), np.float32)
    whole[:n_out] = weights
    return np.ascontiguousarray(whole.reshape(-1, _WIDE, LANES, n_in).transpose(0, 3, 1, 2)).ravel()


def maxout(x: Floats, at: Any, n_in: int, w: Floats, b: Floats) -> tuple[Floats, Floats]:
    """maxout(W·x[at[r] : at[r] + n_in] + b) for every r, less its mean, a row each, and its variance; x is flat."""
    # Room is made here: in a kernel that would be a quarter of a second's compiling.
    best, spread = np.empty((len(at), WIDTH), np.float32), np.empty((len(at), 1), np.float32)
    sums, values = np.empty(_ROWS * _PIECES * LANES, np.float32), np.empty(WIDTH, np.float32)
    run(_fill_maxout, x, at, n_in, w, b, best, spread, sums, values, np.empty(_ROWS, np.int64))
    return best, spread


@compiled
def _fill_maxout(
    x: Any, at: Any, n_in: int, w: Any, b: Any, best: Any, spread: Any, sums: Any, values: Any, froms: Any
) -> None:
    for start in range(0, len(at), _ROWS):
        here = min(_ROWS, len(at) - start)
        for panel in range(WIDTH // LANES):
            for done in range(0, n_in, _BLOCK):
                for row in range(_ROWS):
                    froms[row] = at[start + min(row, here - 1)] + done
                w_at = (panel * n_in + done) * _PIECES * LANES
                _maxout_tile(x, froms, w, w_at, min(_BLOCK, n_in - done), done == 0, sums)
            for row in range(here):
                for lane in range(LANES):
                    column, cell = panel * LANES + lane, row * _PIECES * LANES + lane
                    largest = max(sums[cell] + b[0, column], sums[cell + LANES] + b[1, column])
                    best[start + row, column] = max(largest, sums[cell + 2 * LANES] + b[2, column])
        for row in range(start, start + here):
            for i in range(WIDTH):
                values[i] = best[row, i]
            mean = _total(values) / _WIDTH
            for i in range(WIDTH):
                best[row, i] -= mean
                values[i] = best[row, i] * best[row, i]
            spread[row, 0] = _total(values) / _WIDTH


@compiled
def _total(row: Any) -> Any:
    """The sum as NumPy adds 96 numbers."""
    a, b, c, d, e, f, g, h = row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
    for i in range(8, WIDTH, 8):
        a += row[i]
        b += row[i + 1]
        c += row[i + 2]
        d += row[i + 3]
        e += row[i + 4]
        f += row[i + 5]
        g += row[i + 6]
        h += row[i + 7]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


def products(x: Floats, at: Any, n_in: int, w: Floats, b: Floats) -> Floats:
    """W·x[at[r] : at[r] + n_in] + b for every r, a row each; x is flat, n_in at most 256."""
    out, sums = np.empty((len(at), len(b)), np.float32), np.empty(_WIDE_ROWS * _WIDE * LANES, np.float32)
    run(_fill_products, x, at, n_in, w, b, out, sums, np.empty(_WIDE_ROWS, np.int64))
    return out


@compiled
def _fill_products(x: Any, at: Any, n_in: int, w: Any, b: Any, out: Any, sums: Any, froms: Any) -> None:
    for first in range(0, len(b), _WIDE * LANES):
        for start in range(0, len(at), _WIDE_ROWS):
            here = min(_WIDE_ROWS, len(at) - start)
            for row in range(_WIDE_ROWS):
                froms[row] = at[start + min(row, here - 1)]
            _wide_tile(x, froms, w, first * n_in, n_in, True, sums)
            for row in range(here):
                for column in range(min(_WIDE * LANES, len(b) - first)):
                    out[start + row, first + column] = sums[row * _WIDE * LANES + column] + b[first + column]
