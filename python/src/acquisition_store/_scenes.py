"""Scenes and channels by name or index, and the session of what was chosen."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ._arguments import from_end, to_index, to_list
from ._errors import AcqError, ChannelNotFoundError, InvalidArgumentError
from ._server import Server
from ._session import Session

Choice = Sequence["int | str"]


def open_session(
    server: Server, request: dict[str, Any], selection: Mapping[str, Any], channels: Choice | None
) -> Session:
    """Opens what was chosen. Names, and indices from the end, need a look into the file first."""
    if channels is not None:
        channels = to_list(channels, "channels")
    if "S" in selection:
        index = selection["S"]
        if _is_relative(index):
            known = _open(server, request)
            index = find_scene(index, known.info)
            known.close()
        # The first scene is the default; for the server, the only scene of a file has no index.
        others = {dim: at for dim, at in selection.items() if dim != "S"}
        selection = others if index == 0 else {**others, "S": index}
    if any(_is_relative(at) for at in selection.values()) or any(map(_is_relative, channels or [])):
        scene = {"S": selection["S"]} if "S" in selection else {}
        known = _open(server, _with_selection(request, scene))
        sizes = known.info["header"]["sizes"]
        selection = {dim: from_end(at, sizes.get(dim, 0), dim) for dim, at in selection.items()}
        name = known.info["source"]["name"]
        if channels is not None:
            channels = [find_channel(channel, name, known.info["channels"])["index"] for channel in channels]
        known.close()
    chosen = _with_selection(request, {dim: to_index(at, dim) for dim, at in selection.items()})
    if channels is not None:
        chosen["channelIndices"] = [to_index(channel, "a channel") for channel in channels]
    return _open(server, chosen)


def scenes_of(info: dict[str, Any]) -> list[str]:
    """Returns the names of the scenes; that of the file where it has one scene."""
    return [scene["name"] for scene in info["source"].get("scenes", [{"name": info["source"]["name"]}])]


def find_scene(scene: str | int, info: dict[str, Any]) -> int:
    """Returns the index of a scene."""
    names = scenes_of(info)
    if not isinstance(scene, str):
        return from_end(scene, len(names), "scene")
    if scene not in names:
        listed = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
        message = f"{info['source']['name']} has no scene {scene!r}. Its scenes are {listed}."
        raise AcqError("selection_out_of_range", message)
    return names.index(scene)


def find_channel(channel: str | int, source: str, channels: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns what is known of a channel, by its name or its place among the opened ones."""
    names = [entry["name"] for entry in channels]
    if isinstance(channel, str):
        place = names.index(channel) if channel in names else None
    else:
        at = to_index(channel, "channel")
        place = at if -len(channels) <= at < len(channels) else None
    if place is None:
        raise ChannelNotFoundError(channel, source, names)
    return channels[place]


def with_scene(request: dict[str, Any], info: dict[str, Any], scene: int) -> dict[str, Any]:
    """Returns the request for another scene of the same file."""
    if "scenes" not in info["source"]:
        return request
    return _with_selection(request, {**request.get("selection", {}), "S": scene})


def _with_selection(request: dict[str, Any], selection: Mapping[str, int]) -> dict[str, Any]:
    return {**request, **({"selection": dict(selection)} if selection else {})}


def _is_relative(choice: Any) -> bool:
    return isinstance(choice, str) or to_index(choice, "an index") < 0


def _open(server: Server, request: dict[str, Any]) -> Session:
    try:
        return Session(server, request)
    except AcqError as error:
        # The server that was found may have ended since the last call.
        if error.code != "server_unreachable":
            raise
        server.reconnect(server.transport)
        return Session(server, request)
