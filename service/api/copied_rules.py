"""Rules that were copied from a game: their option values must be those of preset and overrides."""

from service.rummy.presets import check_options, resolve
from service.runtime.json_object import Json


def check_variant(variant: Json, *, seats: int) -> None:
    """Raise VariantContradiction if copied options are not those of preset and overrides."""
    if variant["options"]:
        rules = resolve(variant["preset"], variant["overrides"], seats=seats)
        check_options(rules, variant["options"])
