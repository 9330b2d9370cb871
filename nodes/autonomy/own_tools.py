"""What tools of the person's own do, as far as they say it of themselves."""

from langchain_core.tools import BaseTool

from nodes.autonomy.effects import Effect


def find_effects_of(tool: BaseTool) -> frozenset[Effect]:
    """Return the effects of one of the person's own tools, by its metadata, which has the names of MCP's annotations.

    It acts outside unless it says that it changes nothing (`readOnlyHint`) or asks by itself (`asksItself`). It reaches
    outside if it says so (`openWorldHint`): what it looks up there may be an address with the person's words in it.
    """
    says = {name for name, value in (tool.metadata or {}).items() if value is True}
    acts: frozenset[Effect] = frozenset() if says & {"readOnlyHint", "asksItself"} else frozenset({"acts"})
    return acts | ({"reaches"} if "openWorldHint" in says else frozenset())
