"""Tools for a heating: one that reads and one that acts. The house is a file here; ask your own hardware instead."""

import json
import os
from pathlib import Path


def read_temperature(room: str) -> str:
    """Tell how warm a room is, in degrees Celsius."""
    rooms = _read_rooms()
    return f"{rooms[room]} °C" if room in rooms else f"No such room. Rooms: {', '.join(rooms)}."


def set_heating(room: str, degrees: float) -> str:
    """Set the heating of a room, in degrees Celsius."""
    if not 5 <= degrees <= 25:
        raise ValueError("degrees must be from 5 to 25")  # the model is told, and can try again
    _find_file().write_text(json.dumps(_read_rooms() | {room: degrees}))
    return f"{room} is set to {degrees} °C"


def _read_rooms() -> dict[str, float]:
    file = _find_file()
    return json.loads(file.read_text()) if file.exists() else {"kitchen": 19.0, "study": 17.5}


def _find_file() -> Path:
    return Path(os.environ.get("HEATING_FILE", Path.home() / "heating.json"))


TOOLS = [
    # what only reads says so, and is never asked about
    {"function": read_temperature, "metadata": {"readOnlyHint": True}},
    set_heating,
]
