"""The pictures of docs/method.md, drawn from the stored trials of the published validation and from the formulas."""

from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from idiograph.output.plot import DIFFERENT, DIFFERENT_NAME, QUIET, SAME, SAME_NAME, Plot, canvas, log10

HERE = Path(__file__).resolve().parent
CORPUS, CONDITION = "ubuntu_irc", "contiguous_q500_k2000"
METHODS = {"Hapax Correction": "llr_hapax", "reference-normalised": "llr_normalised"}
END = 6.0  # log10 LR; what lies beyond is drawn there


def build() -> None:
    """Draws all of them."""
    for name, plot in {"lean": lean(), "cost": cost()}.items():
        (HERE / f"method_{name}.svg").write_bytes(plot.svg)


def lean() -> Plot:
    """The LLRs of each author's Q with their own K and with others' Ks, by a formula and normalised."""
    stored = pq.read_table(HERE / "validation" / "matrix.parquet")
    chosen = stored.filter(pc.and_(pc.equal(stored["corpus"], CORPUS), pc.equal(stored["condition"], CONDITION)))
    q_authors = np.array(chosen["q_author"].to_pylist())
    is_same = chosen["same_author"].to_numpy(zero_copy_only=False)
    llrs = {title: np.clip(log10(chosen[column].to_numpy()), -END, END) for title, column in METHODS.items()}
    by_formula = next(iter(llrs.values()))
    order = sorted(set(q_authors), key=lambda author: float(np.mean(by_formula[(q_authors == author) & ~is_same])))
    rows = np.array([order.index(author) for author in q_authors])
    with canvas(height=3.2, columns=2, sharey=True) as (figure, axes):
        for part, (title, values) in zip(axes, llrs.items(), strict=True):
            part.axvline(0, color=QUIET, linewidth=0.8)
            part.plot(values[~is_same], rows[~is_same], "x", color=DIFFERENT, markersize=3.5, label=DIFFERENT_NAME)
            part.plot(values[is_same], rows[is_same], "o", color=SAME, markersize=3.5, label=SAME_NAME)
            part.set(title=title, xlabel="log10 LR", xlim=(-END - 0.3, END + 0.3), yticks=[])
        axes[0].set_ylabel("one row for each author's Q")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return Plot(figure, {}, "Each author's Q with its own K and with others': by the formula, whole rows are shifted.")


def cost() -> Plot:
    """What an LR costs in bits where the author is the same, and where not."""
    exponents = np.linspace(-2.5, 2.5, 201)
    with canvas(height=2.6) as (figure, axes):
        axes.axhline(1, color=QUIET, linewidth=0.8)
        axes.plot(exponents, np.log2(1 + 10.0**-exponents), color=SAME, label=SAME_NAME)
        axes.plot(exponents, np.log2(1 + 10.0**exponents), color=DIFFERENT, linestyle="--", label=DIFFERENT_NAME)
        axes.set(xlabel="log10 LR that a method gave", ylabel="cost in bits", ylim=(0, 6))
        axes.legend()
    return Plot(figure, {}, "An LR costs the more, the more strongly it points the wrong way; an LR of 1 costs 1 bit.")


if __name__ == "__main__":
    build()
