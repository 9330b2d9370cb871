"""A person's own settings: the owner's are written into .env, another person's into their folder."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ana import settings as settings_module
from ana.addresses import PARAMETERS, find_fault, split_addresses
from ana.errors import ConfigError, UserError
from ana.keys import OWNER
from ana.settings import (
    OthersSettings,
    PersonalSettings,
    load_settings,
    read_environment,
    write_env_file,
)
from ana.workspace import Workspace, check_model, is_fixed

LABELS = {
    "ana_timezone": "The time zone",
    "ana_language": "The language",
    "ana_autonomy": "What asks first",
    "ana_daily_budget_usd": "The most for models in a day",
    "ana_model": "The model",
    "ana_notify": "The address",
}
"""What a person is told of a field, in place of its name."""


def list_fixed(workspace: Workspace) -> set[str]:
    """Return the fields that cannot be set here: those of the owner that the environment itself sets."""
    return {name for name in PersonalSettings.model_fields if workspace.person == OWNER and is_fixed(name)}


def save_settings(workspace: Workspace, values: Mapping[str, str]) -> None:
    """Save settings of a person; an empty value means that it is not set.

    Args:
        values: By name of the field.

    Raises:
        UserError: A value is wrong or not allowed; nothing was written.
    """
    if workspace.person == OWNER:
        written = {name.upper(): value for name, value in values.items()}
        try:
            load_settings(read_environment() | written)
        except ConfigError as exc:
            raise _refuse(exc.message) from exc
        if not workspace.has_database:
            write_env_file(settings_module.find_places().env_file, written)
            return
    _save(workspace, values)


def _save(workspace: Workspace, values: Mapping[str, str]) -> None:
    known = workspace.storage.read_settings() or OthersSettings.model_validate({})
    wanted: dict[str, Any] = known.dump() | {name: value or _empty(workspace, name) for name, value in values.items()}
    try:
        personal = OthersSettings.model_validate({name: value for name, value in wanted.items() if value != ""})
    except ValidationError as exc:
        first = exc.errors()[0]
        wrong = first["msg"].removeprefix("Value error, ")
        raise _refuse(f"{str(first['loc'][0]).upper()} is wrong: {wrong}.") from exc
    if personal.ana_model:
        check_model(workspace.settings, personal.ana_model)
    if workspace.person != OWNER:
        _check_addresses(workspace, personal)
    workspace.storage.write_settings(personal)


def _empty(workspace: Workspace, name: str) -> object:
    """Return the value to store if a person clears a field: for the owner its default, because .env may set it
    otherwise.
    """
    return PersonalSettings.model_fields[name].default if workspace.person == OWNER else ""


def _check_addresses(workspace: Workspace, personal: OthersSettings) -> None:
    kinds = workspace.settings.ana_notify_kinds
    faults = (find_fault(each, kinds) for each in split_addresses(personal.ana_notify))
    if fault := next(filter(None, faults), ""):
        allowed = ", ".join(kind for kind in kinds if kind in PARAMETERS)
        raise UserError(f"{fault[0].upper()}{fault[1:]}.", f"Allowed kinds: {allowed}.")


def _refuse(message: str) -> UserError:
    for name, label in LABELS.items():
        message = message.replace(name.upper(), label)
    return UserError(message, "Nothing was changed.")
