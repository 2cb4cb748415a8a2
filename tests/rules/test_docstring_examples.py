"""The examples in the docstrings of the rules show what the code returns."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import service.rummy

EXAMPLES = [
    example
    for module in pkgutil.iter_modules(service.rummy.__path__, "service.rummy.")
    for example in doctest.DocTestFinder().find(import_module(module.name))
    if example.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name.removeprefix("service.rummy."))
def test_the_example_is_true(example):
    output: list[str] = []
    doctest.DocTestRunner().run(example, out=output.append)

    assert not output, "".join(output)
