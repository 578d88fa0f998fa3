"""What callers pass: indices and slices as numpy has them, and values for JSON."""

from __future__ import annotations

import json
import operator
import os
import re
from typing import Any, Mapping, Sequence, Union

import numpy as np

from ._errors import InvalidArgumentError

Span = Union[tuple[Union[int, None], Union[int, None]], slice]
"""(first, end) or a slice, end excluded. Negative numbers count from the end, None is everything."""


def to_index(value: object, what: str) -> int:
    """Returns an integer; `what` names the argument in the error."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidArgumentError(f"{what} is {value!r}; expected an integer") from None


def from_end(value: object, size: int, what: str) -> int:
    """Returns an index in which negative numbers count from the end. The server refuses what is outside."""
    index = to_index(value, what)
    return index + size if -size <= index < 0 else index


def to_span(span: Span, size: int, what: str) -> tuple[int, int, int]:
    """Returns (first, end, step). As in numpy, the end of a slice may be beyond the last entry."""
    if isinstance(span, slice):
        for part in (span.start, span.stop, span.step):
            if part is not None:
                to_index(part, what)
        step = 1 if span.step is None else to_index(span.step, what)
        if step < 1:
            raise InvalidArgumentError(f"{what} has the step {step}; expected 1 or more")
        first, end, _ = slice(span.start, span.stop).indices(size)
        return first, end, step
    try:
        first_given, end_given = span
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"{what} is {span!r}; expected (first, end) or a slice") from None
    first = 0 if first_given is None else from_end(first_given, size, what)
    end = size if end_given is None else from_end(end_given, size, what)
    return first, end, 1


def to_numbers(values: object, what: str) -> list[float]:
    """Returns finite numbers."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"{what} is {_shown(values)}; expected numbers") from None
    if array.ndim == 0:
        raise _no_list(values, what)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InvalidArgumentError(f"{what} is {_shown(values)}; expected finite numbers")
    return [float(value) for value in array]


def to_list(values: Any, what: str) -> list[Any]:
    """Returns what is in a sequence; text is none."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return list(values)
    except TypeError:
        raise _no_list(values, what) from None


def _no_list(value: object, what: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"{what} is {_shown(value)}; expected a list such as [{_shown(value)}]")


def _shown(value: object) -> str:
    """Returns a value on one line of a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:200]}…"


def to_mapping(values: Any, what: str) -> dict[str, Any]:
    """Returns a dict."""
    if not isinstance(values, Mapping):
        raise InvalidArgumentError(f"{what} is {_shown(values)}; expected a dict")
    return dict(values)


def to_path(path: object, what: str = "path") -> str:
    """Returns a path as text."""
    try:
        told = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        raise InvalidArgumentError(f"{what} is {_shown(path)}; expected text or a path") from None
    text = os.fsdecode(told)
    # Relative to the working folder, they would be other paths.
    if text == "":
        raise InvalidArgumentError(f"{what} is empty")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise InvalidArgumentError(f"{what} is {path!r}, which is an address; expected the path of a file or folder")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"{what} is {path!r}; expected a name in UTF-8, as the server reads it") from None
    return text


def to_json(body: object) -> bytes:
    """Returns JSON, in which values of numpy are numbers and lists."""

    def plain(value: object) -> Any:
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tolist()
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, (Sequence, range)):
            return list(value)
        raise InvalidArgumentError(f"{value!r} cannot be sent to the server; expected numbers, text, lists or dicts")

    try:
        return json.dumps(body, default=plain, allow_nan=False).encode()
    except InvalidArgumentError:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"the request cannot be written as JSON: {error}") from None
