"""`rummy500 sheet` writes a sheet to print, or says in a sentence why not."""

import pytest

from workers import cli


def test_writes_the_rules_and_the_score_sheet(tmp_path):
    for kind in (["rules", "classic"], ["score", "classic", "--paper", "Letter", "--names", "Ana", "דוד"]):
        file = tmp_path / f"{kind[0]}.pdf"

        assert cli.main(["sheet", *kind, "-o", str(file)]) == 0
        assert file.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["rules", "poker"], "The presets are"),
        (["score", "partnership", "--players", "3"], "is for 4 players"),
        (["score", "classic", "--players", "9"], "is for 2 to 8 players"),
        (["score", "classic", "--players", "2", "--names", "A", "B", "C"], "too many"),
    ],
)
def test_refuses_wrong_arguments(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["sheet", *arguments])

    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_says_that_a_file_cannot_be_written(tmp_path, capsys):
    assert cli.main(["sheet", "rules", "classic", "-o", str(tmp_path / "none" / "x.pdf")]) == 1
    assert "Cannot write" in capsys.readouterr().err
