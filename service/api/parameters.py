"""Query and header parameters: each is declared once, for requests and for the document.

An operation lists its parameters; `Resource.operation` reads them and passes each to the view as a keyword
argument. An unknown query parameter is an error, so that a mistyped `?dry_run` never makes a real move.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from flask import Request

from service.api.problems import Problem, invalid, invalid_fields
from service.games.record import SpectatorAccess, Status
from service.paper.canvas import PAPERS
from service.rummy.options import MAX_SEATS
from service.rummy.presets import PRESETS
from service.runtime.json_object import Json

MAX_WAIT_MS: Final = 30_000
MAX_PAGE_SIZE: Final = 100
#: The longest name on a printed sheet.
MAX_NAME_LENGTH: Final = 64
MAX_NAMES_LENGTH: Final = 600

_KEY_FORM = r"[\x21-\x7e]{1,64}"
EVENT_ID_FORM = r"[0-9]{1,15}-[0-9]{1,6}"
_LIST_CURSOR_FORM = r"[A-Za-z0-9_.~=-]{1,200}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One query or header parameter: its description, and how it is read.

    `read` turns the text of a request into the value that a view gets, as the argument `keyword`. It raises
    ValueError with a sentence that says what is allowed. `alternatives` are other ways to send the value: an
    operation that takes the parameter takes them too.
    """

    name: str
    keyword: str
    place: Literal["query", "header"]
    description: str
    schema: Json
    read: Callable[[str], Any]
    default: Any = None
    required: bool = False
    example: Any = field(default=None)
    alternatives: tuple["Parameter", ...] = ()
    component_name: str = ""
    """The name under `components/parameters`; by default from the name."""

    def __post_init__(self) -> None:
        """Derive the name of the component from the parameter's."""
        if not self.component_name:
            named = "".join(part.capitalize() for part in re.split(r"[-_]", self.name))
            object.__setattr__(self, "component_name", named)

    def component(self) -> Json:
        """Return the parameter as OpenAPI has it, without its place."""
        described: Json = {"description": self.description, "schema": self.schema, "required": self.required}
        if self.example is not None:
            described["example"] = self.example
        return {"name": self.name, **described}


def read_all(
    request: Request, parameters: Iterable[Parameter], *, already_read: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the value of every parameter, by keyword.

    `already_read` names query parameters that were read before.

    Raises `Problem` validation_failed for an invalid value, for two that contradict each other, and for a
    duplicate or unknown query parameter.
    """
    query = request.args if request.query_string else {}
    values: dict[str, Any] = {}
    senders: dict[str, str] = {}
    allowed = [*already_read]
    for parameter in parameters:
        if parameter.place == "query":
            allowed.append(parameter.name)
            sent = query.get(parameter.name)
        else:
            sent = request.headers.get(parameter.name)
        keyword = parameter.keyword
        value = None if sent is None else _read(parameter, sent)
        if value is None:
            values.setdefault(keyword, parameter.default)
        elif senders.setdefault(keyword, parameter.name) != parameter.name and values[keyword] != value:
            raise _contradiction(senders[keyword], parameter.name)
        else:
            values[keyword] = value
    if query:
        _check_names(request, allowed)
    return values


def _read(parameter: Parameter, sent: str) -> Any:  # noqa: ANN401 - each parameter has its own type
    try:
        return parameter.read(sent)
    except ValueError as error:
        raise invalid(parameter.name, str(error)) from error


def _contradiction(*names: str) -> Problem:
    sentence = f"{' and '.join(names)} name different versions: send one of them."
    return invalid_fields([{"field": name, "message": sentence} for name in names])


def _check_names(request: Request, allowed: list[str]) -> None:
    known = ", ".join(allowed) or "none"
    errors = [
        {"field": name, "message": f"Unknown query parameter. Allowed: {known}."}
        for name in request.args
        if name not in allowed
    ]
    errors += [
        {"field": name, "message": "Send this query parameter once."}
        for name, values in request.args.lists()
        if name in allowed and len(values) > 1
    ]
    if errors:
        raise invalid_fields(errors)


def _boolean(sent: str) -> bool:
    if sent not in {"true", "false"}:
        raise ValueError("Send true or false.")
    return sent == "true"


def read_integer(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return the reader of a whole number in these bounds."""

    def read(sent: str) -> int:
        # int() would also take signs, spaces, underscores and digits of other scripts.
        if not re.fullmatch(r"[0-9]{1,9}", sent) or not minimum <= int(sent) <= maximum:
            raise ValueError(f"Send a whole number from {minimum} to {maximum}.")
        return int(sent)

    return read


def _one_of(*names: str) -> Callable[[str], str]:
    def read(sent: str) -> str:
        if sent not in names:
            raise ValueError(f"Send one of: {', '.join(names)}.")
        return sent

    return read


def _several_of(*names: str) -> Callable[[str], frozenset[str]]:
    def read(sent: str) -> frozenset[str]:
        values = frozenset(sent.split(","))
        if not values <= {*names}:
            raise ValueError(f"Send one or more of: {', '.join(names)}; separate them with commas.")
        return values

    return read


def _matching(pattern: str, otherwise: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def read(sent: str) -> str:
        if not compiled.fullmatch(sent):
            raise ValueError(otherwise)
        return sent

    return read


def _names(sent: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in sent.split(","))
    if (
        len(sent) > MAX_NAMES_LENGTH
        or len(names) > MAX_SEATS
        or any(len(name) > MAX_NAME_LENGTH for name in names)
    ):
        raise ValueError(f"Send up to {MAX_SEATS} names of up to {MAX_NAME_LENGTH} characters.")
    return names


def read_event_id(sent: str) -> tuple[int, int]:
    """Return version and seq of an event's id, such as `17-2`; raise ValueError for another text."""
    form = re.fullmatch(EVENT_ID_FORM, sent)
    if form is None:
        raise ValueError("Send the id of an event, such as 17-2.")
    version, seq = sent.split("-")
    return int(version), int(seq)


def _prefers_minimal(sent: str) -> bool:
    """Return whether a Prefer header asks for a minimal response; the first `return` counts (RFC 7240)."""
    asked = re.search(r"(?:^|,)\s*return\s*=\s*\"?([a-z]+)", sent, re.IGNORECASE)
    return asked is not None and asked[1].lower() == "minimal"


def _included(*names: str) -> Json:
    name = f"({'|'.join(names)})"
    return {"type": "string", "pattern": f"^{name}(,{name})*$"}


DRY_RUN: Final = Parameter(
    name="dry_run",
    keyword="dry_run",
    place="query",
    description=(
        "`true`: only check whether the move is legal, and show the game that it would lead to, as far as "
        "nothing hidden comes in. Nothing is changed or stored."
    ),
    schema={"type": "boolean", "default": False},
    read=_boolean,
    default=False,
)
AS_SEAT: Final = Parameter(
    name="as_seat",
    keyword="as_seat",
    place="query",
    description=(
        "The seat to view the game from or to play for, if one player holds every seat "
        "(`seats_held: creator`). Default: the seat to act."
    ),
    schema={"type": "integer", "minimum": 0, "maximum": 7},
    read=read_integer(0, 7),
)
WAIT_MS: Final = Parameter(
    name="wait_ms",
    keyword="wait_ms",
    place="query",
    description=(
        "With `newer_than` or `If-None-Match`: how many milliseconds to wait for a newer version before the "
        "response that there is none."
    ),
    schema={"type": "integer", "minimum": 0, "maximum": MAX_WAIT_MS, "default": 0},
    read=read_integer(0, MAX_WAIT_MS),
    default=0,
)
INCLUDE: Final = Parameter(
    name="include",
    keyword="include",
    place="query",
    description=(
        "Members that a game has only if you ask for them, separated by commas. `legal_moves`: the legal "
        "moves of your seat, as listLegalMoves lists them. `moves_by_type`: the same, much shorter."
    ),
    schema=_included("legal_moves", "moves_by_type"),
    read=_several_of("legal_moves", "moves_by_type"),
    default=frozenset(),
    example="legal_moves",
)
STREAM_INCLUDE: Final = Parameter(
    name="include",
    component_name="StreamInclude",
    keyword="include",
    place="query",
    description=(
        "What the stream has only if you ask for it, separated by commas. `game`: a `snapshot` after the "
        "events of each change too. `legal_moves`: the legal moves of your seat in every `snapshot`. "
        "`moves_by_type`: the same, much shorter. `to_act`: a `seat.to_act` with the moves in this form "
        "whenever your seat has to act, without the game."
    ),
    schema=_included("game", "legal_moves", "moves_by_type", "to_act"),
    read=_several_of("game", "legal_moves", "moves_by_type", "to_act"),
    default=frozenset(),
    example="game,legal_moves",
)
PREFER: Final = Parameter(
    name="Prefer",
    keyword="minimal",
    place="header",
    description=(
        "`return=minimal`: the response to a move leaves `game` out (RFC 7240). It is then a 200, with "
        "`Preference-Applied: return=minimal`. Other preferences are ignored."
    ),
    schema={"type": "string"},
    read=_prefers_minimal,
    default=False,
    example="return=minimal",
)
INVITE_CODE: Final = Parameter(
    name="invite_code",
    keyword="invite_code",
    place="query",
    description=(
        "Gives access to a private game, or to one with invited spectators, without a seat at it: its "
        "`spectator_code`, or its `invite_code`, which lets you join as well."
    ),
    schema={"type": "string", "pattern": r"^[A-Za-z0-9_-]{1,64}$"},
    read=_matching(r"[A-Za-z0-9_-]{1,64}", "Send the code as you received it."),
)
WRITE_KEY: Final = Parameter(
    name="write_key",
    keyword="write_key",
    place="query",
    description=(
        "The `write_key` of the score sheet, which its write link holds. The token of the player who created "
        "the sheet does as well."
    ),
    schema={"type": "string", "pattern": r"^[A-Za-z0-9_-]{1,100}$"},
    read=_matching(r"[A-Za-z0-9_-]{1,100}", "Send the key as it stands in the write link."),
)
AFTER_EVENT: Final = Parameter(
    name="after",
    keyword="after",
    place="query",
    description=(
        "Only events after this id, `<version>-<seq>`. Default: from the first stored event; a stream begins "
        "with a snapshot."
    ),
    schema={"type": "string", "pattern": f"^{EVENT_ID_FORM}$"},
    read=read_event_id,
    example="17-2",
)
LAST_EVENT_ID: Final = Parameter(
    name="Last-Event-ID",
    keyword="last_event_id",
    place="header",
    description="The id of the last event you received; it overrides `after`. An EventSource sends it.",
    schema={"type": "string", "pattern": f"^{EVENT_ID_FORM}$"},
    read=read_event_id,
    example="17-2",
)
CURSOR: Final = Parameter(
    name="cursor",
    keyword="cursor",
    place="query",
    description="`next_cursor` of the previous page. Default: the first page.",
    schema={"type": "string", "pattern": f"^{_LIST_CURSOR_FORM}$"},
    read=_matching(_LIST_CURSOR_FORM, "Send next_cursor of the previous page."),
)
LIMIT: Final = Parameter(
    name="limit",
    keyword="limit",
    place="query",
    description="The maximum number of entries on the page.",
    schema={"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": 50},
    read=read_integer(1, MAX_PAGE_SIZE),
    default=50,
)
STATUS: Final = Parameter(
    name="status",
    keyword="status",
    place="query",
    description="Only games with this status.",
    schema={"$ref": "#/components/schemas/GameStatus"},
    read=_one_of(*Status),
)
PRESET: Final = Parameter(
    name="preset",
    keyword="preset",
    place="query",
    description="Only games of this preset, with or without overrides.",
    schema={"$ref": "#/components/schemas/PresetName"},
    read=_one_of(*PRESETS),
)
RATED: Final = Parameter(
    name="rated",
    keyword="rated",
    place="query",
    description="`true`: only rated games. `false`: only unrated games.",
    schema={"type": "boolean"},
    read=_boolean,
)
SPECTATORS: Final = Parameter(
    name="spectators",
    keyword="spectators",
    place="query",
    description="Only games that allow these spectators.",
    schema={"$ref": "#/components/schemas/Spectators"},
    read=_one_of(*SpectatorAccess),
)
FREE_SEATS: Final = Parameter(
    name="free_seats",
    keyword="free_seats",
    place="query",
    description="Only waiting tables with at least this many free seats.",
    schema={"type": "integer", "minimum": 1, "maximum": 7},
    read=read_integer(1, 7),
)
MY_TURN: Final = Parameter(
    name="my_turn",
    keyword="my_turn",
    place="query",
    description="`true`: only games in which your seat may act. `false`: only games in which it may not.",
    schema={"type": "boolean"},
    read=_boolean,
)
ORDER: Final = Parameter(
    name="order",
    keyword="order",
    place="query",
    description=(
        "`created`: the games created last come first. `updated`: those changed last. `deadline`: the next "
        "deadline, then the games without one, those changed last first. The last two orders hold the newest "
        "500 games of a list, and a game that changes meanwhile may come twice or not at all."
    ),
    schema={"type": "string", "pattern": "^(created|updated|deadline)$", "default": "created"},
    read=_one_of("created", "updated", "deadline"),
    default="created",
)
BRIEF: Final = Parameter(
    name="brief",
    keyword="brief",
    place="query",
    description="`true`: the games come in `brief`, without the options of their rules; `games` is empty.",
    schema={"type": "boolean", "default": False},
    read=_boolean,
    default=False,
)
SANDBOX: Final = Parameter(
    name="sandbox",
    keyword="sandbox",
    place="query",
    description="`true`: only sandbox games, which no other list contains.",
    schema={"type": "boolean", "default": False},
    read=_boolean,
    default=False,
)
PAPER: Final = Parameter(
    name="paper",
    keyword="paper",
    place="query",
    description="The size of the paper.",
    schema={"type": "string", "pattern": f"^({'|'.join(PAPERS)})$", "default": PAPERS[0]},
    read=_one_of(*PAPERS),
    default=PAPERS[0],
)
PLAYERS: Final = Parameter(
    name="players",
    keyword="players",
    place="query",
    description="The number of players. Default: as many as `names`, or four if the preset allows it.",
    schema={"type": "integer", "minimum": 2, "maximum": MAX_SEATS},
    read=read_integer(2, MAX_SEATS),
)
NAMES: Final = Parameter(
    name="names",
    keyword="names",
    place="query",
    description=(
        "The names of the players, separated by commas, in the order in which they deal. An empty name "
        "leaves space to write one. Characters that the fonts lack are left out."
    ),
    schema={"type": "string", "maxLength": MAX_NAMES_LENGTH},
    read=_names,
    default=(),
    example="Ana,Ben,Cleo",
)
IDEMPOTENCY_KEY: Final = Parameter(
    name="Idempotency-Key",
    keyword="idempotency_key",
    place="header",
    description=(
        "Makes it safe to retry a request: the same key, path and body get the first response again, marked "
        "`Idempotency-Replayed: true`. The key is looked up before `If-Match`. Successes and illegal moves "
        "are stored for 24 hours. Use a random key, such as a UUID; without a token, where the "
        "response holds a secret, it must have 16 characters or more."
    ),
    schema={"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-~]{1,64}$"},
    read=_matching(_KEY_FORM, "Send 1 to 64 visible ASCII characters."),
    example="5f0c2a54-6f0e-4f6c-9c59-0d2f6f1f7a10",
)

ALL: Final = (
    DRY_RUN,
    AS_SEAT,
    WAIT_MS,
    INCLUDE,
    STREAM_INCLUDE,
    PREFER,
    INVITE_CODE,
    WRITE_KEY,
    AFTER_EVENT,
    LAST_EVENT_ID,
    CURSOR,
    LIMIT,
    STATUS,
    PRESET,
    RATED,
    SPECTATORS,
    FREE_SEATS,
    MY_TURN,
    ORDER,
    BRIEF,
    SANDBOX,
    PAPER,
    PLAYERS,
    NAMES,
    IDEMPOTENCY_KEY,
)
