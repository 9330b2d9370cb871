"""Logging by the settings: ana's own and other loggers each at their level, and no secret in any line."""

import json
import logging
import re
import sys
from collections.abc import Iterable, Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ana.addresses import list_secret_parts, split_addresses
from ana.errors import ConfigError
from ana.json_lines import JsonFormatter
from ana.keys import KEY, OWNER, split_tokens
from ana.output import escape_controls, tell
from ana.settings import Settings

OURS = ("ana", "app", "evals", "graph", "nodes", "tools", "prompts")
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
LARGEST = 5_000_000
"""Bytes of a log file before it is rotated."""
ROTATED = 2
"""How many older log files are kept."""
HIDDEN = "[secret]"
SHORTEST = 8
"""Characters of a secret; what is shorter is a word that a local server takes for a key, such as `none`."""


class _SafeFormatter(logging.Formatter):
    """Another formatter's lines, without secrets and without characters that could control a terminal."""

    def __init__(self, inner: logging.Formatter, secrets: Sequence[str] = ()) -> None:
        super().__init__()
        self._inner = inner
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        # The finished line is searched: a secret may also stand in an argument or a traceback.
        line = _COLOUR.sub("", self._inner.format(record))
        for secret in self._secrets:
            line = line.replace(secret, HIDDEN)
        return escape_controls(hide_secrets(line, self._secrets))


class _LogFile(RotatingFileHandler):
    """Says once that it cannot be written, in a sentence instead of a traceback for every line."""

    _has_complained = False

    def handleError(self, record: logging.LogRecord) -> None:
        if not self._has_complained:
            self._has_complained = True
            tell(f"The log {self.baseFilename} cannot be written: {sys.exception()}.")


def list_secrets(settings: Settings) -> list[str]:
    """Return every key, and every password in a URL; none of them is written to a file, or sent to anybody but its
    owner.
    """
    secrets = (settings.openai_api_key, settings.openrouter_api_key, settings.telegram_bot_token)
    keys = [key.get_secret_value() for key in secrets if key]
    passwords = [urlsplit(url).password or "" for url in (settings.openai_base_url, settings.ollama_host) if url]
    addresses = (part for each in split_addresses(settings.ana_notify) for part in list_secret_parts(each))
    tokens = [token for _, token in split_tokens(settings.ana_api_tokens)]
    return choose_secrets([*keys, *tokens, *passwords, *map(unquote, passwords), *addresses])


def choose_secrets(texts: Iterable[str]) -> list[str]:
    """Return those that are long enough to be secrets: hiding "x" would remove every x from a trace, even in names."""
    return sorted({text for text in texts if len(text) >= SHORTEST}, key=len, reverse=True)


def hide_secrets(text: str, secrets: Sequence[str]) -> str:
    """Return a JSON text without secrets."""
    for secret in secrets:  # as JSON writes it, or one with a quote in it would slip through
        text = text.replace(json.dumps(secret)[1:-1], HIDDEN)
    return KEY.sub(HIDDEN, text)


def hide_in_json(value: Any, secrets: Sequence[str]) -> Any:
    """Return a JSON value without secrets, at any depth."""
    return json.loads(hide_secrets(json.dumps(value), secrets))


def settle_console(settings: Settings) -> None:
    """Keep the handlers of another program, such as the server, from writing characters that control a terminal; unless
    console output is on, they write only problems that a person should solve.
    """
    for handler in logging.root.handlers:
        if not isinstance(handler.formatter, _SafeFormatter):
            handler.setLevel(logging.NOTSET if settings.log_to_console else logging.WARNING)
            handler.setFormatter(_SafeFormatter(handler.formatter or logging.Formatter()))


def set_up_logging(settings: Settings) -> None:
    """Send log lines to the log file, to standard error if asked, and nowhere else. Errors as of `add_log_file`."""
    for old in list(logging.root.handlers):
        logging.root.removeHandler(old)
        old.close()
    add_log_file(settings)
    if settings.log_to_console:
        _add_handler(logging.StreamHandler(), settings)
    logging.root.setLevel(settings.log_level_deps)


def add_log_file(settings: Settings) -> None:
    """Send log lines to the log file too; the server keeps its own handlers.

    Raises:
        ConfigError: The log file cannot be written.
    """
    path = settings.log_file_path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _LogFile(path, maxBytes=LARGEST, backupCount=ROTATED, delay=True, encoding="utf-8")
    except OSError as exc:
        says = f"LOG_FILE_PATH {path} cannot be written: {exc.strerror}."
        raise ConfigError(says, "Set it to another file.") from exc
    _add_handler(handler, settings)
    for name in OURS:
        logging.getLogger(name).setLevel(settings.log_level_app)


def name_log(person: str = OWNER) -> str:
    """Return a name for this process's log, to begin a sentence with; only the owner is told its path."""
    return f"The log {files[-1]}" if (files := _list_open()) and person == OWNER else "The log"


def has_log() -> bool:
    """Return whether this process has a log file."""
    return bool(_list_open())


def _list_open() -> list[str]:
    return [handler.baseFilename for handler in logging.root.handlers if isinstance(handler, _LogFile)]


def list_log_files(settings: Settings) -> list[Path]:
    """Return the existing log files, the present one and older ones."""
    path = settings.log_file_path
    named = (path, *(path.with_name(f"{path.name}.{number}") for number in range(1, ROTATED + 1)))
    return [each for each in named if each.exists()]


def _add_handler(handler: logging.Handler, settings: Settings) -> None:
    lines = JsonFormatter() if settings.log_format == "json" else logging.Formatter(FORMAT)
    handler.setFormatter(_SafeFormatter(lines, list_secrets(settings)))
    logging.root.addHandler(handler)
