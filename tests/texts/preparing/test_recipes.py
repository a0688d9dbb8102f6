"""Recipes: named ones with the paper's numbers, the user's own, and every mistake in one answered with a sentence."""

import inspect
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idiograph import Corpus, InputError, Text, prepare
from idiograph.texts.preparing.recipes import ENGLISH_RULES, STEPS, Recipe, find_recipe, recipe_names

DOCS = Path(__file__).resolve().parents[3] / "docs" / "preparing.md"


def settings_of(name: str, step: str) -> dict[str, Any]:
    (settings,) = [entry.settings for entry in find_recipe(name).steps if entry.name == step]
    return dict(settings)


def test_the_recipes_are_there() -> None:
    registers = {"email", "tweet", "message", "review", "plain"}
    papers = {"paper-avocado", "paper-twitter", "paper-bolt", "paper-enron", "paper-all-the-news"}
    assert set(recipe_names()) == registers | {"characters"} | papers


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_shown_as_toml_is_the_same_recipe(name: str, tmp_path: Path) -> None:
    recipe = find_recipe(name)
    assert recipe.name == name
    path = tmp_path / "own.toml"
    path.write_text(recipe.toml(), encoding="utf-8")
    assert find_recipe(path) == find_recipe(str(path)) == recipe
    # Every setting is spelt out, so that it can be edited.
    for shown, step in zip(tomllib.loads(recipe.toml())["steps"], recipe.steps, strict=True):
        assert list(shown) == ["step", *STEPS[step.name].defaults]


def test_the_papers_numbers() -> None:
    near = settings_of("paper-avocado", "near_duplicates")
    assert (near["hashes"], near["bands"], near["tokens"], near["threshold"]) == (240, 80, 10, 0)
    assert near["remove"] == "both"
    assert settings_of("paper-avocado", "text_length") == {"min_tokens": 3, "max_tokens": 1000}
    assert settings_of("paper-avocado", "author_tokens") == {"min_tokens": 100_000}
    assert settings_of("paper-avocado", "assign_q_k")["q_tokens"] == 35_000
    assert settings_of("paper-avocado", "urls")["replace_with"] == ""
    assert settings_of("paper-avocado", "email_addresses")["replace_with"] == "<email>"
    assert settings_of("paper-twitter", "urls")["replace_with"] == "<url>"
    assert settings_of("paper-twitter", "user_tags")["replace_with"] == "userid"
    assert settings_of("paper-twitter", "punctuation_runs") == {"longest": 3}
    assert settings_of("paper-twitter", "author_tokens") == {"min_tokens": 135_001}  # "more than 135,000"
    twitter = settings_of("paper-twitter", "assign_q_k")
    assert (twitter["q_tokens"], twitter["k_tokens"]) == (35_000, 100_000)
    bolt = settings_of("paper-bolt", "assign_q_k")
    assert (bolt["q_tokens"], bolt["k_tokens"]) == (500, 500)
    assert settings_of("paper-bolt", "author_tokens") == {"min_tokens": 1000}
    assert settings_of("paper-bolt", "text_length")["min_tokens"] == 3
    assert settings_of("paper-enron", "author_outliers")["multiplier"] == 0.8
    assert settings_of("paper-enron", "shared_runs") == {"tokens": 10, "remove": "both", "scope": "corpus"}


def test_the_papers_enron_loses_copies_and_its_authors_outlying_lengths() -> None:
    rng = np.random.default_rng(1)
    words = [f"w{number}" for number in range(5_000)]

    def mail(author: int, number: int, n: int) -> Text:
        return Text(f"a{author}-{number}", " ".join(rng.choice(words, n)) + ".", f"a{author}")

    texts = [mail(author, number, 40) for author in range(8) for number in range(5)]
    texts += [mail(8, number, 40) for number in range(30)] + [mail(9, 0, 20)]
    shared = texts[0].content[:60]
    texts[7] = Text(texts[7].id, f"{shared} and more of it.", texts[7].author)
    kept = prepare(Corpus(tuple(texts)), "paper-enron").corpus
    assert not {texts[0].id, texts[7].id} & {text.id for text in kept}
    assert "a9" not in {text.author for text in kept}
    by_author = {f"a{author}": sum(text.author == f"a{author}" for text in kept) for author in range(9)}
    assert by_author["a8"] < 10
    assert all(by_author[f"a{author}"] >= 4 for author in range(8))


def test_the_papers_news_lose_the_sentences_that_a_text_repeats() -> None:
    again = "The mayor said nothing. Rain fell on the city. The mayor said nothing."
    other = "Rain fell on the city. Nobody minded that at all."
    kept = prepare(Corpus((Text("1", again, "a"), Text("2", other, "b"))), "paper-all-the-news").corpus
    assert [" ".join(text.content.split()) for text in kept] == [
        "The mayor said nothing. Rain fell on the city.",
        other,
    ]


def test_the_digest_is_of_what_is_done() -> None:
    recipe = find_recipe("plain")
    table = recipe.as_json()
    renamed = Recipe.from_json({**table, "name": "mine", "about": ""}, where="here")
    assert renamed.digest == recipe.digest
    spelt_out = Recipe.from_json({"schema": 1, "steps": [{"step": "white_space", "join_lines": False}]}, where="here")
    short = Recipe.from_json({"schema": 1, "steps": [{"step": "white_space"}]}, where="here")
    other = Recipe.from_json({"schema": 1, "steps": [{"step": "white_space", "join_lines": True}]}, where="here")
    assert spelt_out.digest == short.digest != other.digest
    backwards = Recipe.from_json({**table, "steps": table["steps"][::-1]}, where="here")
    assert backwards.digest != recipe.digest


def test_strings_survive_toml(tmp_path: Path) -> None:
    odd = 'a "b" \\ \x7f \x01 é 😂\n'
    table = {"schema": 1, "name": odd, "steps": [{"step": "retweets", "markers": [odd]}]}
    recipe = Recipe.from_json(table, where="here")
    path = tmp_path / "odd.toml"
    path.write_text(recipe.toml(), encoding="utf-8")
    assert find_recipe(path) == recipe


STEP = 'schema = 1\n[[steps]]\nstep = "{}"\n{}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("schema = 1\n[[steps]\n", r"own\.toml is not valid TOML"),
        ("schema = 1\nstep = 3", r"there is no setting step \(did you mean steps\?\)"),
        ("[[steps]]\nstep = 'urls'", r"schema is missing\. Write `schema = 1`"),
        ("schema = 2", r"schema must be 1, not 2"),
        ("schema = 1", "there are no steps"),
        ("schema = 1\nsteps = ['urls']", "there are no steps"),
        ("schema = 1\nname = 3\n[[steps]]\nstep = 'urls'", "name must be text in quotation marks, not 3"),
        ("schema = 1\n[[steps]]\nsetting = 3", "step 1: step must be one of .*, not nothing"),
        (STEP.format("url", ""), r'step 1: step must be one of .*, not "url" \(did you mean urls\?\)\.'),
        (STEP.format("zzz", ""), r'step 1: step must be one of .*, not "zzz"\.'),
        (STEP.format("urls", "replace = ''"), r"step 1, urls: there is no setting replace \(did you mean replace_with"),
        (STEP.format("lower_case", "x = 1"), r"lower_case: there is no setting x\. There are no settings here\."),
        (
            STEP.format("urls", "replace_with = '[URL]'"),
            r'urls: replace_with must be empty, one of <url> .*, not "\[URL\]"\.',
        ),
        (STEP.format("elongated_words", "keep = 3"), r"elongated_words: keep must be a whole number .*, not 3\."),
        (STEP.format("author_outliers", "multiplier = -1"), r"multiplier must be a number, 0 or more, not -1\."),
        (STEP.format("near_duplicates", "remove = 'all'"), r'remove must be one of one, both, not "all"\.'),
    ],
)
def test_a_mistake_in_a_recipe_gets_a_sentence(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        find_recipe(path)


def test_a_recipe_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"There is no recipe emails \(did you mean email\?\)\. The recipes are characters, email, "
    ):
        find_recipe("emails")
    with pytest.raises(InputError, match=r"none\.toml could not be read"):
        find_recipe(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes("name = 'é'".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.toml is not UTF-8 \(at byte 8\)"):
        find_recipe(tmp_path / "latin.toml")


def test_the_documentation_has_every_step_setting_and_recipe() -> None:
    rows = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    documented = {row.split("|")[1].strip(" `"): row.split("|")[2] for row in rows}
    for name, kind in STEPS.items():
        for setting, default in kind.defaults.items():
            shown = list(default) if isinstance(default, tuple) else default
            assert f"`{setting}`" in documented[name], f"{name}: {setting} is not documented"
            assert (
                isinstance(shown, list)
                or f"`{setting}` {shown!r}".replace("'", '"').replace("True", "true").replace("False", "false")
                in documented[name]
            ), f"{name}: {setting}'s default {shown!r}"
    assert documented.keys() >= {*STEPS, *recipe_names()}


def test_a_recipe_says_which_of_its_steps_go_by_english_rules() -> None:
    assert find_recipe("email").english_rules[:2] == (
        "forwarded_text (headings of forwarded messages)",
        "quoted_text (lines that introduce quotations)",
    )
    assert find_recipe("plain").english_rules == ()
    assert set(ENGLISH_RULES) <= set(STEPS)
    assert "for English only" in STEPS["non_ascii"].about


@pytest.mark.parametrize("name", STEPS)
def test_settings_and_defaults_are_the_functions_own(name: str) -> None:
    kind = STEPS[name]
    function = kind.function
    parameters = list(inspect.signature(function).parameters.values())[1:]
    assert kind.defaults == {parameter.name: parameter.default for parameter in parameters}
    assert kind.read({}, where="here") == kind.defaults
    assert kind.about.endswith((".", "…"))
    assert kind.name == function.__name__


def test_what_is_given_is_checked_and_the_rest_has_its_default() -> None:
    assert STEPS["urls"].read({"replace_with": ""}, where="here") == {"replace_with": "", "bare_domains": False}
    assert STEPS["retweets"].read({"markers": ["x"]}, where="here") == {"markers": ("x",)}
    for word in ("two words", "N1", "[URL]", "é"):
        with pytest.raises(InputError, match=r"^mine\.toml, step 1, urls: replace_with must be empty, one of <url> "):
            STEPS["urls"].read({"replace_with": word}, where="mine.toml, step 1")
