"""The settings of programs that speak MCP: where each keeps them, what is written there, and whether it starts."""

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
        title: What it is called.
        path: Where it keeps its servers, below the person's home, or below the folder of settings that $CONFIG names.
        key: The object that has them.
        more: What it wants to stand there besides.
    """

    title: str
    path: str
    key: str = "mcpServers"
    more: Mapping[str, str] | None = None

    def find(self) -> Path:
        """Return the file, or what a link in its place leads to."""
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
    """Return what stands in a client's settings.

    Args:
        person: The option that names for whom it is; empty for the owner.
        folder: The data folder, where the environment names one.
    """
    command = make_python_command("-m", "app.cli")
    program = Path(command[0]).with_name("ana")  # by its whole path: a program with windows has no shell's
    command = [str(program)] if program.exists() else command
    env = ({} if program.exists() else SAFE) | ({"ANA_DATA_DIR": os.path.abspath(folder)} if folder else {})
    entry = {**(client.more or {}), "command": command[0], "args": [*command[1:], "mcp", *person.split()]}
    return entry | ({"env": env} if env else {})


def read_entry(client: Client) -> Any:
    """Return what stands of ana in a client's settings; None if nothing does. Raises UserError if they are damaged."""
    return _read(client.find()).get(client.key, {}).get(NAME)


def write_entry(client: Client, entry: Mapping[str, Any]) -> Path:
    """Write a client's settings with this entry, and everything else as it stood there. Return the file.

    Raises UserError if that cannot be done; nothing is changed then.
    """
    path = client.find()
    known = _read(path)
    if path.suffix == ".toml":
        text = _add_table(path, client.key, entry, known)
    else:
        whole = known | {client.key: {**known.get(client.key, {}), NAME: entry}}
        text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600  # it may have keys of others
        write_whole(path, text, mode=0o600)
        path.chmod(mode)
    except OSError as exc:
        raise UserError(f"{path} cannot be written: {describe_fault(exc)}.", "Nothing was changed.") from exc
    return path


def show_entry(client: Client, entry: Mapping[str, Any]) -> str:
    """Return an entry as it stands in the client's settings."""
    if client.path.endswith(".toml"):
        return _write_table(client.key, entry)
    return json.dumps({client.key: {NAME: entry}}, indent=2, ensure_ascii=False)


def try_start(entry: Mapping[str, Any]) -> str:
    """Start what an entry says, as the client does, and return why it does not answer; empty if it does."""
    about = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "ana-connect", "version": __version__},
    }
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    try:
        command = (entry["command"], *entry["args"])
        done = run_program(*command, given=json.dumps(asked) + "\n", env=entry.get("env"), timeout=SECONDS)
    except TimeoutExpired:
        return f"it did not answer within {SECONDS:.0f} seconds"
    answer = read_object((done.stdout.splitlines() or [""])[0])
    if "result" in answer:
        return ""
    return (done.stderr.strip().splitlines() or ["it said nothing"])[-1]


def _read(path: Path) -> dict[str, Any]:
    hint = "Correct it, or write it there by hand: `ana connect NAME --show` prints it."
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text or "{}")
    except (OSError, ValueError) as exc:
        raise UserError(f"{path} cannot be read: {exc}.", hint) from exc
    if not isinstance(found, dict) or not all(isinstance(each, dict) for key, each in found.items() if key in _KEYS):
        raise UserError(f"{path} has something else where its servers stand.", hint)
    return found


def _add_table(path: Path, key: str, entry: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return TOML with a table more. What stands there stays as it is written, with its comments."""
    if NAME in known.get(key, {}):
        raise UserError(f"{path} has another ana.", "Take its table out first, or change it by hand.")
    before = path.read_text(encoding="utf-8").rstrip("\n") if path.exists() else ""
    text = f"{before}\n\n{_write_table(key, entry)}\n".lstrip("\n")
    if tomllib.loads(text) != {**known, key: {**known.get(key, {}), NAME: dict(entry)}}:
        raise UserError(f"{path} cannot be added to.", "Write it there by hand.")
    return text


def _write_table(key: str, entry: Mapping[str, Any]) -> str:
    """Return a table of TOML, of whose texts and lists JSON's are a part."""
    plain = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items() if name != "env")
    env = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.get("env", {}).items())
    more = [f"[{key}.{NAME}.env]", *env] if entry.get("env") else []
    return "\n".join([f"[{key}.{NAME}]", *plain, *more])


def _find_config() -> Path:
    if sys.platform == "darwin":
        return Path("~/Library/Application Support")
    return Path(os.environ.get("APPDATA") or os.environ.get("XDG_CONFIG_HOME") or "~/.config")


_KEYS = {client.key for client in CLIENTS.values()}
