"""The settings of programs that speak MCP: their places, the entry that is written there, and a check that it
starts.
"""

import json
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ana import __version__
from ana.children import SAFE, TimeoutExpired, make_python_command, run_program
from ana.errors import UserError
from ana.files import describe_fault, write_whole
from ana.values import read_object

NAME = "ana"
"""What it is called in every program."""

SECONDS = 60.0
"""How long it may take to start."""


@dataclass(frozen=True)
class Client:
    """A program that speaks MCP.

    Args:
        title: Its name for people.
        path: The file with its servers, below the person's home, or below the folder of settings that $CONFIG names.
        key: The object that contains the servers.
        more: Further values that it requires in an entry.
    """

    title: str
    path: str
    key: str = "mcpServers"
    more: Mapping[str, str] | None = None

    def find(self) -> Path:
        """Return the file, or the target of a link in its place."""
        return Path(self.path.replace("$CONFIG", str(_find_config()))).expanduser().resolve()


CLIENTS: Mapping[str, Client] = {
    # code.claude.com/docs/en/mcp, scope user, as told there on 2026-10-22
    "claude": Client("Claude Code", "~/.claude.json", more={"type": "stdio"}),
    # modelcontextprotocol.io/quickstart/user, and playwright.dev/mcp/clients/claude-desktop, 2026; there is none for
    # Linux: the place is that of the packages that others make
    "claude-desktop": Client("Claude Desktop", "$CONFIG/Claude/claude_desktop_config.json"),
    # cursor.com/docs/mcp, as told there on 2026-06-19
    "cursor": Client("Cursor", "~/.cursor/mcp.json"),
    # developers.openai.com/codex/mcp, as told there on 2026-10-22
    "codex": Client("Codex", "~/.codex/config.toml", "mcp_servers"),
    # code.visualstudio.com/docs/agents/reference/mcp-configuration, 2026: mcp.json of the user's profile
    "vscode": Client("VS Code", "$CONFIG/Code/User/mcp.json", "servers", {"type": "stdio"}),
    # google/mcp-security, pull request 186 (MCP Client Config Locations), 2026
    "gemini": Client("Gemini CLI", "~/.gemini/settings.json"),
}


def make_entry(client: Client, person: str = "", folder: str = "") -> dict[str, Any]:
    """Return ana's entry for a client's settings.

    Args:
        person: The option that names the person; empty for the owner.
        folder: The data folder, where the environment names one.
    """
    command, *args = make_python_command("-m", "app.cli", "mcp", *person.split())
    env = {**SAFE, "ANA_DATA_DIR": os.path.abspath(folder)} if folder else {**SAFE}
    return {**(client.more or {}), "command": command, "args": args, "env": env}


def read_entry(client: Client) -> Any:
    """Return ana's entry in a client's settings; None if there is none. Raises UserError if they are damaged."""
    return _read(client)[1].get(client.key, {}).get(NAME)


def write_entry(client: Client, entry: Mapping[str, Any]) -> Path:
    """Write this entry into a client's settings, and leave everything else unchanged. Return the file.

    Raises UserError if that is impossible; then nothing is changed.
    """
    path = client.find()
    before, known = _read(client)
    whole = known | {client.key: {**known.get(client.key, {}), NAME: entry}}
    text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    if path.suffix == ".toml":  # what stands there stays as it is written, with its comments
        text = f"{before.rstrip()}\n\n{show_entry(client, entry)}\n".lstrip()
        try:
            tomllib.loads(text)
        except ValueError as exc:  # it has another ana, or its servers stand in one line
            hint = "Take another ana out of it first, or write it there by hand."
            raise UserError(f"{path} cannot be added to.", hint) from exc
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600  # it may have keys of others
        write_whole(path, text, mode=0o600)
        path.chmod(mode)
    except OSError as exc:
        raise UserError(f"{path} cannot be written: {describe_fault(exc)}.", "Nothing was changed.") from exc
    return path


def show_entry(client: Client, entry: Mapping[str, Any]) -> str:
    """Return an entry in the form of the client's settings."""
    if not client.path.endswith(".toml"):
        return json.dumps({client.key: {NAME: entry}}, indent=2, ensure_ascii=False)
    # JSON's texts and lists are TOML's, too
    env = ", ".join(f"{name} = {json.dumps(value)}" for name, value in entry["env"].items())
    plain = [f"{name} = {json.dumps(value)}" for name, value in entry.items() if name != "env"]
    return "\n".join([f"[{client.key}.{NAME}]", *plain, f"env = {{ {env} }}"])


def try_start(entry: Mapping[str, Any]) -> str:
    """Start the command of an entry, as the client would, and return the reason why it does not answer; empty if it
    does.
    """
    me = {"name": "ana-connect", "version": __version__}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}) + "\n"
    try:
        done = run_program(entry["command"], *entry["args"], stdin=message, env=entry.get("env"), timeout=SECONDS)
    except TimeoutExpired:
        return f"it did not answer within {SECONDS:.0f} seconds"
    answer = read_object(done.stdout.partition("\n")[0])
    return "" if "result" in answer else (done.stderr.strip().splitlines() or ["it said nothing"])[-1]


def _read(client: Client) -> tuple[str, dict[str, Any]]:
    """Return a client's settings, as text and as values."""
    path, hint = client.find(), "Correct it, or write it there by hand: `ana connect NAME --show` prints it."
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        settings = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text or "{}")
    except (OSError, ValueError) as exc:
        raise UserError(f"{path} cannot be read: {exc}.", hint) from exc
    if not isinstance(settings, dict) or not isinstance(settings.get(client.key, {}), dict):
        raise UserError(f"{path} has something else where its servers stand.", hint)
    return text, settings


def _find_config() -> Path:
    if sys.platform == "darwin":
        return Path("~/Library/Application Support")
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config")
