"""Other assistants over HTTP, with the official client on loopback."""

import functools
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitResult, Implementation, TextResourceContents

from ana.memory.memory import Memory
from ana.workspace import load_workspace, open_workspace
from tests.app.api.conftest import Running
from tests.app.conftest import Run
from tests.app.mcp.conftest import MODES, Elicit, read
from tools.catalog import TOOLS

RENT = {"content": "Pay the rent", "properties": {"due_date": "2026-01-30"}}
HELLO = {"client_info": Implementation(name="Claude Code", version="1"), "cache": None}
