"""Replies to a request: {"decisions": [...]}, one decision for each action, in langchain's HITL convention."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_STRICT = ConfigDict(extra="forbid", strict=True)


class Action(BaseModel):
    """A call as the person wants it."""

    model_config = _STRICT
    name: str
    args: dict[str, Any]


class Approve(BaseModel):
    """Do it."""

    model_config = _STRICT
    type: Literal["approve"]


class Edit(BaseModel):
    """Do this instead."""

    model_config = _STRICT
    type: Literal["edit"]
    edited_action: Action


class Reject(BaseModel):
    """Do not do it."""

    model_config = _STRICT
    type: Literal["reject"]
    message: str = ""


Decision = Annotated[Approve | Edit | Reject, Field(discriminator="type")]


class Reply(BaseModel):
    """The decisions on every action of a request, in its order."""

    model_config = _STRICT
    decisions: Annotated[list[Decision], Field(min_length=1)]

    def to_json(self) -> dict[str, Any]:
        """Return the value that the waiting node is resumed with."""
        return self.model_dump(include={"decisions"}, exclude_defaults=True)
