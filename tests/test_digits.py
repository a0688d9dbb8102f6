"""No function whose last digits depend on the processor: the source is walked for them.

The C library's and NumPy's exp and logarithms, BLAS, LAPACK and NumPy's sums of numbers that are not whole may round
differently on another computer; `idiograph.arithmetic` has what takes their place.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "idiograph"

FUNCTIONS = {
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "logaddexp", "logaddexp2"),
    *("pow", "power", "float_power", "cbrt", "hypot", "dist", "sumprod"),
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "asin", "acos", "atan"),
    *("erf", "erfc", "gamma", "lgamma"),
    *("dot", "vdot", "inner", "outer", "matmul", "einsum", "tensordot", "linalg", "convolve", "correlate"),
    *("mean", "average", "std", "var", "nanmean", "nanstd", "nanvar", "nansum", "cov", "corrcoef"),
    *("quantile", "percentile", "median", "interp", "polyfit", "trapezoid"),
}
METHODS = {"mean", "std", "var", "dot"}
SUMS = {"sum", "cumsum", "reduceat", "nancumsum"}
DRAWS = {"multinomial", "binomial", "poisson", "normal", "standard_normal", "gamma", "beta", "exponential", "dirichlet"}
MODULES = {"scipy", "statistics"}

# What may stay, and why.
PICTURES = ("output/plot.py", "output/figures.py")
SECOND_OPINION = ("laboratory/slow.py",)  # the C library on purpose: compared in 12 digits, and no number is made of it
ALLOWED = {
    ("casework/sentences.py", "10 ** (exponent - 1)"): "whole numbers",
    ("studies/drawing.py", "np.convolve"): "whole numbers",
    (
        "texts/masking/fast/tag.py",
        "(spread + np.float32(1e-08)) ** (-0.5)",
    ): "as spaCy's tagger; no number is made of it",
}


def found_in(path: Path) -> Iterator[tuple[str, str]]:
    """Each forbidden expression of a module, with why it is forbidden."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    whole = {id(sum_) for node in ast.walk(tree) for sum_ in _made_whole(node)}
    for node in ast.walk(tree):
        text = ast.unparse(node)
        match node:
            case ast.Import(names=names) if any(name.name.split(".")[0] in MODULES for name in names):
                yield text, "imports a numerical library"
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield text, "imports a numerical library"
            case ast.ImportFrom(module="math" | "numpy", names=names) if any(n.name in FUNCTIONS for n in names):
                yield text, "imports a function whose digits vary"
            case ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr=name) if name in FUNCTIONS:
                yield text, "is a function whose digits vary"
            case ast.Attribute(attr="linalg"):
                yield text, "is LAPACK"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="rng"), attr=name)) if name in DRAWS:
                yield text, "draws by way of logarithms"
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[] | [ast.Constant()]) if (
                name in METHODS and not (isinstance(value, ast.Name) and value.id == "arithmetic")
            ):
                yield text, "is a NumPy mean or product"
            case ast.BinOp(op=ast.MatMult()):
                yield text, "is BLAS"
            case ast.BinOp(op=ast.Pow(), left=left, right=right) if not (
                isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
            ):
                yield text, "is the C library's pow; write a product, or exp10"
            case ast.Call(func=ast.Attribute(attr=name), keywords=keywords) if (
                name in SUMS and id(node) not in whole and not any(word.arg == "dtype" for word in keywords)
            ):
                yield text, "is a sum in NumPy's order; take arithmetic.total, or say dtype=np.int64"


def _made_whole(node: ast.AST) -> Iterator[ast.AST]:
    """Sums that are whole numbers, since they are made an int at once."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int":
        yield from ast.walk(node)


def test_no_function_whose_digits_depend_on_the_processor() -> None:
    wrong = []
    allowed = set()
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name in (*PICTURES, *SECOND_OPINION):
            continue
        for text, why in found_in(path):
            if (name, text) in ALLOWED:
                allowed.add((name, text))
            else:
                wrong.append(f"{name}: {text} {why}")
    assert wrong == []
    assert allowed == set(ALLOWED)


def test_what_is_forbidden_is_found(tmp_path: Path) -> None:
    bad = [
        "import scipy.stats", "from scipy import optimize", "from math import log10", "import statistics",
        "np.exp(x)", "math.log(x)", "np.linalg.inv(x)", "x @ y", "x ** 2", "x ** 0.5", "x.mean()", "x.std(ddof=1)",
        "x.sum()", "np.cumsum(x)", "np.add.reduceat(x, y)", "rng.multinomial(3, p)", "np.quantile(x, 0.5)",
    ]  # fmt: skip
    good = [
        "x * x", "2 ** 31", "np.sqrt(x)", "math.fsum(x)", "int(x.sum())", "np.cumsum(x, dtype=np.int64)", "total(x)",
        "np.add.accumulate(x)", "rng.integers(5)", "rng.permutation(5)", "exp(x)", "math.floor(x)",
    ]  # fmt: skip
    path = tmp_path / "module.py"
    for line in bad:
        path.write_text(line)
        assert list(found_in(path)), line
    for line in good:
        path.write_text(line)
        assert not list(found_in(path)), line
