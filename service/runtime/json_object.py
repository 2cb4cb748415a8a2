"""The type of a JSON object whose members are not declared as a class."""

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
