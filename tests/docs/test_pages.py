"""Pages for newcomers: their links lead somewhere, and every file is named on one of them."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked(*patterns):
    listed = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [Path(line) for line in listed.stdout.splitlines()]


PAGES = tracked("*.md")
#: What the name of its folder explains: a page names the folder in place of each file.
COLLECTIONS = {
    Path(folder) for folder in ("service/store/redis/lua", "service/api/resources", "service/api/schemas")
}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_leads_to_a_file(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)

    broken = [
        link for link in links if "://" not in link and not (ROOT / page.parent / link).resolve().exists()
    ]

    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_to_a_heading_finds_it(page):
    text = (ROOT / page).read_text(encoding="utf-8")

    for link, heading in re.findall(r"\]\(([^)#]*)#([^)]+)\)", text):
        if "://" in link:
            continue
        target = ROOT / page.parent / link if link else ROOT / page
        headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
        assert heading in slugs, f"{link}#{heading}"


def pages_above(path):
    """The README of the file's folder and of every folder above it, within the checkout."""
    return [ROOT / folder / "README.md" for folder in path.parents if (ROOT / folder / "README.md").is_file()]


def test_every_file_is_named_by_a_page_of_its_folder_or_above():
    unnamed = []
    for path in tracked("service/**", "workers/**"):
        name = f"{path.parent.name}/" if path.parent in COLLECTIONS else path.name
        if path.name in {"__init__.py", "README.md", "py.typed"}:
            continue
        if not any(name in page.read_text(encoding="utf-8") for page in pages_above(path)):
            unnamed.append(str(path))

    assert unnamed == []
