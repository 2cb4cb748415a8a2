"""Sentences for people, with what a client needs to say them in another language.

    >>> sentence = Sentence("not_in_pile", "The {card} is not in the discard pile.", card="7H")
    >>> sentence
    'The seven of hearts is not in the discard pile.'
    >>> sentence.key, sentence.params
    ('not_in_pile', {'card': '7H'})

It is a string, so that code that only shows it need not know. The English text is made from the
template, so that text and parameters never disagree.
"""

from collections.abc import Mapping
from typing import Final, Self

from service.rummy.cards import Card, long_name

#: What a parameter may be: a card's code, another code or name, or a number.
Param = str | int
#: The parameter that is a card; it stands in the text by its name.
_CARD: Final = "card"


class Sentence(str):
    """An English sentence made from a template; `key` is stable, `params` are by name."""

    __slots__ = ("key", "params", "template")

    key: str
    template: str
    params: Mapping[str, Param]

    def __new__(cls, key: str, template: str, **params: Param) -> Self:
        """Return the sentence of a template whose `{name}` stand for the parameters."""
        shown = {
            name: long_name(Card(str(value))) if name == _CARD else value for name, value in params.items()
        }
        sentence = super().__new__(cls, template.format(**shown))
        sentence.key, sentence.template, sentence.params = key, template, params
        return sentence
