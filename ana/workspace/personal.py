"""What a person sets for themselves, written where it is read: the owner's into .env, another's into their folder."""

import os
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from ana import settings as settings_module
from ana.addresses import read_kind, split_addresses
from ana.errors import ConfigError, UserError
from ana.files import write_whole
from ana.keys import OWNER
from ana.notes import read_note
from ana.settings import OthersSettings, PersonalSettings, load_settings, read_environment, write_env_file
from ana.workspace import Workspace, check_model
from ana.workspace.workspace import SETTINGS

LABELS = {
    "ana_timezone": "The time zone",
    "ana_autonomy": "What asks first",
    "ana_daily_budget_usd": "The most for models in a day",
    "ana_model": "The model",
    "ana_notify": "The address",
}
"""What a person is told of a field, in place of its name."""


def list_fixed(workspace: Workspace) -> set[str]:
    """Return the fields that cannot be set here: of the owner's those that stand in the environment itself."""
    fields = OthersSettings.model_fields if workspace.person != OWNER else PersonalSettings.model_fields
    return {name for name in fields if workspace.person == OWNER and os.environ.get(name.upper(), "").strip()}


def save_settings(workspace: Workspace, values: Mapping[str, str]) -> None:
    """Keep settings of a person; an empty value is one that is not set.

    Args:
        values: By name of the field.

    Raises:
        UserError: A value is wrong or not allowed; nothing was written.
    """
    if workspace.person == OWNER:
        _save_owners({name.upper(): value for name, value in values.items()})
    else:
        _save_others(workspace, values)


def _save_owners(values: dict[str, str]) -> None:
    try:
        load_settings(read_environment() | values)
    except ConfigError as exc:
        raise _refuse(exc.message) from exc
    write_env_file(settings_module.find_places().env_file, values)


def _save_others(workspace: Workspace, values: Mapping[str, str]) -> None:
    file = workspace.folder / SETTINGS
    known = read_note(file, OthersSettings, "Correct it, or delete it.") or OthersSettings.model_validate({})
    wanted: dict[str, Any] = known.model_dump(exclude_unset=True) | {k: v for k, v in values.items() if v}
    for name, value in values.items():
        if not value:
            wanted.pop(name, None)
    try:
        personal = OthersSettings.model_validate(wanted)
    except ValidationError as exc:
        first = exc.errors()[0]
        wrong = first["msg"].removeprefix("Value error, ")
        raise _refuse(f"{str(first['loc'][0]).upper()} is wrong: {wrong}.") from exc
    if personal.ana_model:
        check_model(workspace.settings, personal.ana_model)
    kinds = workspace.settings.ana_notify_kinds
    if refused := [kind for each in split_addresses(personal.ana_notify) if (kind := read_kind(each)) not in kinds]:
        allowed = ", ".join(kinds)
        raise UserError(f"Addresses of the kind {refused[0]:.20} are not allowed here.", f"Allowed: {allowed}.")
    secret = {"ana_notify": personal.ana_notify.get_secret_value()} if personal.ana_notify else {}
    write_whole(file, to_json(personal.model_dump(exclude_unset=True) | secret, indent=1).decode(), mode=0o600)


def _refuse(message: str) -> UserError:
    for name, label in LABELS.items():
        message = message.replace(name.upper(), label)
    return UserError(message, "Nothing was changed.")
