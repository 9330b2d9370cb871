"""Meanings of the columns of a file from an unknown program: the person says what they mean, or a model looks at
them.
"""

import json
import secrets
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from langchain_core.messages import HumanMessage

from ana.errors import ToolError, UserError
from ana.handles import DataHandles, Handles
from ana.models.call import complete
from ana.models.fence import fence
from ana.models.lenient_json import read_value
from ana.models.providers import build_model
from ana.transfer.foreign.columns import Columns, Program, read_columns, spell
from ana.transfer.foreign.tables import Table
from nodes.usage import no_usage, open_purse
from prompts import render

FINISHED = 3
"""Items of rows that a person is shown before they come in."""

MOST_ROWS = 3
"""Rows that a model is shown."""

FEW = 8
"""Values of a column that are all shown."""

LONGEST = 200
"""Characters that it is shown of a value."""


class ColumnChooser:
    """Finds the meanings of a table's columns.

    Args:
        handles: The handles, for asking the model.
        options: The meanings that the person names. Without any, columns of known programs are recognised, and the
            model is asked about others.
    """

    def __init__(self, handles: DataHandles, options: Mapping[str, Any]) -> None:
        self._handles, self._options = handles, options
        self.is_guessed = False
        """Whether a model has said it."""

    def choose(self, table: Table, known: Program | None) -> Columns:
        """Return the meaning of the columns. Raises UserError if nobody names the meaning, or it is wrong."""
        if self._options or known or self._handles.settings.provider == "offline":
            return read_columns(self._options, table.columns, known)
        self.is_guessed = True
        return read_columns(ask_model(self._handles, table), table.columns)


def ask_model(handles: DataHandles, table: Table) -> Mapping[str, Any]:
    """Ask the model for the meaning of a table's columns, and return it.

    Raises:
        ModelFailed, BudgetReached: The model was not asked, or gave no answer.
        UserError: Its answer is not usable.
    """
    if not isinstance(handles, Handles):
        spending = handles.workspace.open_spending(handles.clock, handles.traces)
        handles = Handles(**vars(handles), model=build_model(handles.settings), spending=spending)
    message = HumanMessage(render("columns", table=fence(describe_table(table), secrets.token_hex(8))))
    ask = partial(complete, handles.model, [message], f"columns-{secrets.token_hex(4)}")
    reply, _ = open_purse(handles).pay(ask, [message], no_usage())
    try:
        answer, _ = read_value(reply.text[max(reply.text.find("{"), 0) :])
    except ToolError:
        answer = None
    if not isinstance(answer, dict):
        raise UserError("The model did not say what the columns are.", "`--title COLUMN` and so on say it.")
    return answer


def describe_table(table: Table) -> str:
    """Return a table's columns, its first rows, and all values of columns with a few values that repeat."""
    rows = [row for _, row in table.rows if isinstance(row, dict)]
    few: dict[str, list[str]] = {}
    for name in table.columns:
        counted = Counter(spell(row.get(name))[:LONGEST] for row in rows if row.get(name))
        few |= {name: [*counted]} if len(counted) <= FEW and counted.total() > len(counted) else {}
    samples = [{name: spell(value)[:LONGEST] for name, value in row.items() if value} for row in rows[:MOST_ROWS]]
    count = f"{len(samples)} of {len(rows)} rows"
    parts = (("columns", table.columns), ("values", few), *((count, row) for row in samples))
    return "\n".join(f"{name}: {json.dumps(part, ensure_ascii=False)}" for name, part in parts)
