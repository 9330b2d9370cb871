"""The client of OpenAI's protocol, which several providers speak."""

from typing import Any

import langchain_openai


class ChatOpenAI(langchain_openai.ChatOpenAI):
    """As in the library, under the same name in traces, but messages and tools are sent as langchain has written them.

    openai would go through each of them again, by the types of all that a message may be: a tenth of a turn's time.
    """

    def _get_request_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(*args, **kwargs)
        written = {name: payload[name] for name in ("messages", "tools") if name in payload}
        unread = {name: value for name, value in payload.items() if name != "tools"} | {"messages": []}
        return unread | {"extra_body": {**(payload.get("extra_body") or {}), **written}}
