"""Whether a text is in the language that was said."""

import pytest
from docs.language_tables import example_sentences

from idiograph.texts.language import FEWEST_WORDS, LANGUAGES, check_language, stop_words


def example(language: str) -> str:
    return " ".join(example_sentences(language))


GERMAN = example("de")
FRENCH = example("fr")


@pytest.mark.parametrize("language", [code for code in LANGUAGES if len(stop_words(code)) >= FEWEST_WORDS])
def test_no_text_is_said_to_be_in_another_language_than_its_own(language: str) -> None:
    assert check_language(example(language), language).verdict in ("fits", "unchecked")


def test_a_wrong_language_is_found_nearly_always() -> None:
    tried, is_other = 0, []
    for language in ("cs", "da", "de", "el", "en", "es", "fr", "he", "it", "nl", "pt", "ro", "ru", "uk", "zh"):
        for stated in LANGUAGES:
            if stated != language:
                check = check_language(example(language) * 2, stated)
                tried += check.verdict != "unchecked"
                is_other += [check.verdict == "other"] if check.verdict != "unchecked" else []
    assert tried > 900
    assert sum(is_other) >= 0.98 * tried


def test_what_it_looks_like_is_said_with_the_shares() -> None:
    check = check_language(FRENCH, "de")
    assert (check.verdict, check.other) == ("other", "fr")
    assert check.share < 0.15 < check.other_share
    assert check.sentence.startswith("looks like French, not like German: ")
    assert "words are on the list of function words of German, " in check.sentence
    assert check_language(FRENCH, "fr").sentence.startswith("looks like French: ")


def test_a_text_of_two_languages_is_seen_in_its_parts() -> None:
    check = check_language(GERMAN * 4 + FRENCH * 2, "de")
    assert (check.verdict, check.other) == ("in part", "fr")
    assert check.sentence.startswith("looks in part like French, not like German: ")


def test_what_cannot_be_checked_is_said() -> None:
    short = check_language("Das ist kurz.", "de")
    assert short.verdict == "unchecked"
    assert short.sentence == "could not be checked to be in German: it has 3 words, and at least 50 are needed"
    assert check_language("", "de").verdict == "unchecked"
    assert "list of function words for it has 0 entries" in check_language(GERMAN, "nn").sentence
    assert "list of function words for it has 14 entries" in check_language(GERMAN, "dsb").sentence


def test_by_one_list_the_share_alone_decides_beyond_chance() -> None:
    listed = frozenset({"the"})
    # Upper ends of Wilson's 99 % interval: 0.20 for 10 of 100, 0.32 for 20, 0.53 for 40; the bounds are 0.22 and 0.33.
    for n, verdict, sentence in (
        (10, "other", "does not look like English: 10 % of its 100 words are on the list"),
        (20, "in part", "looks like English only in part: 20 % of its 100 words are on the list"),
        (40, "fits", "looks like English: 40 % of its 100 words are on the list"),
    ):
        words = [word for number in range(100) for word in (["The"] if number * n % 100 < n else ["x"])]
        check = check_language(words, "en", listed=listed)
        assert (check.verdict, check.share, check.sentence) == (verdict, n / 100, sentence)
    parted = ["the", "x"] * 120 + ["x"] * 60  # one stretch of five without any
    assert check_language(parted, "en", listed=listed).verdict == "in part"
    assert check_language(["the", "x"] * 150 + ["x"] * 60, "en", listed=listed).verdict == "fits"  # one of six


def test_words_will_do_in_place_of_a_text() -> None:
    assert check_language(["Der", "und", "*"] * 30, "de").share == pytest.approx(2 / 3)
    # Marks of masking are Latin letters in every language.
    assert check_language(["и", "не", "N", "V", "NOUN"] * 20, "ru").verdict == "fits"


def test_vowels_that_combine_with_letters_belong_to_their_word() -> None:
    # हिन्दी के लिए: the vowel signs are marks, not letters.
    assert check_language("के लिए " * 30, "hi").share == 1.0


SINHALA = "මම ඊයේ සවස ඔබට ලිපියක් යැව්වා. එය ලැබුණාද? කරුණාකර හෙට උදේ වන විට පිළිතුරක් දෙන්න. මට තව දින දෙකක් තියෙනවා."
RUSSIAN = (
    "Вчера я получил письмо от John Miller, и он пишет, что Google и Microsoft ещё не ответили. Мы ждали до вечера, но "
    "никто не позвонил. Если они не ответят завтра, я сам поеду в New York и спрошу у Smith & Sons, почему так "
    "долго. Ты же знаешь, как это бывает: сначала обещают, а потом не делают ничего, и виноват опять я."
)
QUOTING = (
    "Er hat mir gestern geschrieben: “I never said that you should sell the house, and I do not want to be blamed.” "
    "Das ist nicht wahr. Ich weiß noch genau, was er damals gesagt hat, und meine Schwester war auch dabei. Wenn er "
    "jetzt so tut, als ob er nichts damit zu tun hätte, dann kann ich ihm nicht mehr glauben. Wir haben uns doch alle "
    "auf ihn verlassen, und er hat uns immer wieder gesagt, dass es gut gehen wird und wir uns keine Sorgen machen "
    "sollen."
)
SERBIAN = (
    "Juče sam dobio pismo i u njemu piše da niko neće doći pre petka. Čekali smo do večeri, ali se nije javio. Ako ni "
    "sutra ne bude odgovora, ja ću sam otići i pitati zašto sve toliko traje. Ti znaš kako je to: prvo obećaju, a onda "
    "ništa ne urade, i opet sam ja kriv za sve što nije kako treba."
)
JAPANESE = (
    "昨日の夕方に手紙を受け取りましたが、金曜日までには誰も来ないと書いてありました。夜まで待っていたのに、電話はありませんでした。"
    "明日も返事がなければ、私が自分で行って、なぜこんなに時間がかかるのかを聞いてみるつもりです。それでも分からなければ、また手紙を書きます。"
)


def test_letters_tell_where_no_list_does() -> None:
    for stated in ("tr", "de", "ru", "ta"):
        check = check_language(SINHALA, stated)  # 20 words are too few for the lists
        assert (check.verdict, check.other, check.script) == ("other", None, "Sinhala")
    assert check_language(SINHALA, "de").sentence == (
        "is in other letters than German: 100 % of its 20 words are in Sinhala letters, and the function words of "
        "German in Latin ones"
    )
    assert check_language(SINHALA, "si").verdict == "unchecked"
    assert check_language(SINHALA, "nn").verdict == "unchecked"  # no list, so no letters are known to be its own
    assert check_language("මම ඊයේ ආවා.", "de").verdict == "unchecked"
    assert check_language(RUSSIAN, "de").sentence.startswith("looks like Russian, not like German: ")
    # A list of nine words has letters all the same.
    assert check_language(RUSSIAN, "ml").verdict == "other"


def test_names_terms_and_quotations_in_other_letters_do_no_harm() -> None:
    assert check_language(RUSSIAN, "ru").verdict == "fits"
    assert check_language(QUOTING, "de").verdict == "fits"
    assert check_language(JAPANESE, "ja").verdict == "fits"
    terms = RUSSIAN.replace("письмо", "e-mail SMTP server log").replace("Мы", "The IT support team")
    assert check_language(terms, "ru").verdict == "fits"
    assert check_language(JAPANESE + " Windows Server, Outlook, Excel, PDF, USB.", "ja").verdict == "fits"


def test_parts_in_other_letters_are_seen() -> None:
    check = check_language(JAPANESE, "zh")
    assert (check.verdict, check.script) == ("in part", "Kana")
    assert check.sentence.startswith("is in part in other letters than Chinese: ")
    assert check_language(QUOTING + " " + SINHALA * 2, "de").script == "Sinhala"


def test_a_language_in_other_letters_than_its_list_is_said_since_the_list_would_keep_nothing() -> None:
    check = check_language(SERBIAN, "sr")
    assert check.verdict == "other"
    assert check.sentence.endswith("words are in Latin letters, and the function words of Serbian in Cyrillic ones")


def test_a_text_with_next_to_no_word_of_the_list_does_not_pass() -> None:
    check = check_language(example("tr"), "de")
    assert check.sentence == (
        "could not be checked to be in German: only 0 % of its words are on spaCy's list of function words for it, too "
        "few to tell"
    )
