"""How seven providers write their errors: each is told with its own sentence, and a parameter that a model refuses is
left out from then on. Each shape names the document that it was written from, with its date."""

import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ana.json_lines import JsonFormatter
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.cli.main import cli
from tests.conftest import THREAD, folders
from tests.models.test_faults import opened, soon
from tests.openai_stub import Said, openai_stub

__all__ = ["soon"]

HELLO = Said("Hello.")


class Shape(NamedTuple):
    """An error as a provider sends it.

    Args:
        source: The document that it was written from, and its date.
        body: What is sent: an object as JSON, a text as a page.
        told: The person is told this.
        refuses: The parameter that the request is sent without; empty if the error is the answer.
    """

    source: str
    status: int
    body: Any
    told: str
    refuses: str = ""
    kind: str = "application/json"


def openai(message: str, param: str | None, code: str | None, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code, **more}}


TEMPERATURE = (
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
)
FILTERED = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
EXTRA = "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]"
KEEP = "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= 4096)."
ALONE = "Even this message alone is longer than the model can read."
FOREIGN = "does not speak OpenAI's protocol. Does OPENAI_BASE_URL end in /v1? Check it, or OLLAMA_HOST."

SHAPES = {
    "OpenAI temperature": Shape(
        "johny-b/llmcomp#69, 2026-04-20",
        400,
        openai(TEMPERATURE, "temperature", "unsupported_value"),
        "(400, temperature): “Unsupported value: 'temperature' does not support 0 with this model",
        "temperature",
    ),
    "OpenAI anything else": Shape(
        "langchain-ai/langchain#29704, 2025-02-18",
        400,
        openai("Invalid value for 'content': expected a string.", "messages.[1].content", None),
        "refused the request (400, messages.[1].content): “Invalid value for 'content': expected a string”.",
    ),
    "OpenAI credit": Shape(
        "chatanywhere/GPT_API_free#229, 2024-05-07",
        429,
        openai("You exceeded your current quota, please check your plan.", None, "insufficient_quota"),
        "There is no credit left at the model provider (429): “You exceeded your current quota, please check",
    ),
    "OpenAI behind a proxy of older date": Shape(
        "QuantumNous/new-api#418, 2024-08-06",
        400,
        openai("Unknown parameter: 'stream_options'. (request id: 20240806)", "stream_options", "unknown_parameter"),
        "(400, stream_options): “Unknown parameter: 'stream_options'.",
        "stream_options",
    ),
    "Azure filter": Shape(
        "microsoft/TinyTroupe#85, 2025-01-02",
        400,
        openai(FILTERED, "prompt", "content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}),
        f"The model provider's filter stopped the request (400, prompt): “{FILTERED.rstrip('.')}”.",
    ),
    "Azure limit of tokens": Shape(
        "BerriAI/litellm#8638, 2025-02-19",
        400,
        openai("Unrecognized request argument supplied: max_completion_tokens", None, None),
        "(400): “Unrecognized request argument supplied: max_completion_tokens”.",
        "max_completion_tokens",
    ),
    "OpenRouter credit": Shape(
        "openrouter.ai/docs/api/reference/errors-and-debugging, 2026",
        402,
        {"error": {"code": 402, "message": "Insufficient credits. Add more and retry."}},
        "There is no credit left at the model provider (402): “Insufficient credits. Add more and retry”. Add credit",
    ),
    "OpenRouter, of the provider behind it": Shape(
        "openrouter.ai/docs/api/reference/errors-and-debugging (metadata.raw), 2026",
        400,
        {
            "error": {
                "code": 400,
                "message": "Provider returned error",
                "metadata": {
                    "provider_name": "OpenAI",
                    "raw": json.dumps(openai(TEMPERATURE, "temperature", "unsupported_value")),
                },
            }
        },
        "(400, temperature): “Unsupported value: 'temperature'",
        "temperature",
    ),
    "OpenRouter with status 200": Shape(
        "openrouter.ai/docs/api/reference/errors-and-debugging, 2026",
        200,
        {"error": {"code": 402, "message": "Insufficient credits"}},
        "no credit left at the model provider (402): “Insufficient credits”.",
    ),
    "Ollama without the model": Shape(
        "netease-youdao/QAnything#555, 2024-10-23",
        404,
        {"error": {"message": 'model "qwen3" not found, try pulling it first', "type": "api_error", "code": None}},
        'does not know this model (404): “model "qwen3" not found, try pulling it first”.',
    ),
    "Ollama without /v1": Shape(
        "sigoden/aichat#1100, 2025-01-18", 404, "404 page not found", FOREIGN, kind="text/plain"
    ),
    "llama-server too long": Shape(
        "ggml-org/llama.cpp#19774, 2026-02-21",
        400,
        {"error": {"code": 400, "message": "request (4390 tokens) is too much", "type": "exceed_context_size_error"}},
        ALONE,
    ),
    "llama-server elsewhere": Shape(
        "ggml-org/llama.cpp, its server's set_error_handler, 2026",
        404,
        {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}},
        "(404): “File Not Found”.",
    ),
    "vLLM of older date": Shape(
        "modelscope/ms-agent#489, 2024-06-13",
        400,
        {"object": "error", "message": EXTRA, "type": "BadRequestError", "param": None, "code": 400},
        "(400): “[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')",
        "stream_options",
    ),
    "Azure, by the place": Shape(
        "microsoft/sample-app-aoai-chatGPT#1260, 2025-04-04",
        400,
        {"error": {"code": 400, "message": "Validation error at #/temperature: Extra inputs are not permitted"}},
        "(400): “Validation error at #/temperature: Extra inputs are not permitted”.",
        "temperature",
    ),
    "Mistral, as FastAPI": Shape(
        "partITech/php-mistral#76, 2025-11-13",
        422,
        {"object": "Error", "detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]},
        "(422, temperature): “Extra inputs are not permitted: body.temperature”.",
        "temperature",
    ),
    "LM Studio too long": Shape("Gitlawb/openclaude#353, 2026-04-04", 400, {"error": KEEP}, ALONE),
    "LM Studio without /v1": Shape(
        "lmstudio-ai/lmstudio-bug-tracker#618, 2025-04-25",
        200,
        {"error": "Unexpected endpoint or method. (POST /chat/completions)"},
        "(200): “Unexpected endpoint or method. (POST /chat/completions)”. Does OPENAI_BASE_URL end in /v1?",
    ),
    "a web page": Shape("no document: any page", 200, "<html>Router</html>", FOREIGN, kind="text/html"),
    "a web page that takes no POST": Shape("no document: any page", 405, "<html>405</html>", FOREIGN, kind="text/html"),
}


def reply_with(shape: Shape) -> Said:
    body = shape.body if isinstance(shape.body, str) else json.dumps(shape.body)
    return Said(status=shape.status, body=body, kind=shape.kind)


@pytest.mark.parametrize("name", SHAPES)
def test_an_error_that_stays_is_told_with_the_providers_sentence(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    shape = SHAPES[name]
    with openai_stub(reply_with(shape)) as server, opened(server, tmp_path, MAX_TOKENS="500") as assistant:
        answer = assistant.ask("buy milk", THREAD)
    assert shape.told in answer.answer
    assert len(answer.answer) < 380
    assert answer.error
    assert answer.receipt == "no changes"
    if "“" in shape.told:
        quoted = shape.told.partition("“")[2].partition("”")[0]
        assert quoted in caplog.text
        in_json = [JsonFormatter().format(record) for record in caplog.records if record.levelno >= logging.WARNING]
        assert not any(json.dumps(quoted)[1:-1] in line for line in in_json), "it may quote the person"


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.refuses])
def test_a_refused_parameter_is_left_out_from_then_on(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = SHAPES[name]

    def refuse(request: dict[str, Any]) -> Said:
        return reply_with(shape) if shape.refuses in request else HELLO

    with openai_stub(refuse) as server:
        for _ in range(2):  # the second is another process
            with opened(server, tmp_path, MAX_TOKENS="500") as assistant:
                assert assistant.ask("hello", THREAD).answer == "Hello."
        assert len(server.requests) == 3
        first, again, later = server.requests
        assert again.keys() == later.keys()
        older = {"max_tokens"} if shape.refuses == "max_completion_tokens" else set()
        assert again.keys() ^ first.keys() == {shape.refuses} | older
        for setting, value in folders(tmp_path, **server.env).items():
            monkeypatch.setenv(setting, value)
        cli(["doctor"], standalone_mode=False)
    told = f"gpt-4o-mini at {server.url} refuses {shape.refuses}"
    assert told in capsys.readouterr().out


def test_several_are_left_out_and_what_does_not_help_is_kept(tmp_path: Path) -> None:
    def refuse(request: dict[str, Any]) -> Said:
        for name in ("temperature", "max_completion_tokens", "max_tokens"):
            if name in request:
                return reply_with(SHAPES["OpenAI temperature"]._replace(body=openai(f"No {name}.", name, "x")))
        return reply_with(SHAPES["OpenAI anything else"]) if "quiet" not in str(request) else HELLO

    note = open_workspace(load_settings(folders(tmp_path))).note("refused-parameters")
    with openai_stub(refuse) as server, opened(server, tmp_path, MAX_TOKENS="500") as assistant:
        assert "expected a string" in assistant.ask("hello", THREAD).answer
        assert note.read() == ""
        assert assistant.ask("quiet", THREAD).answer == "Hello."
        assert json.loads(note.read()) == {
            f"gpt-4o-mini at {server.url}": ["temperature", "max_completion_tokens", "max_tokens"]
        }


@pytest.mark.parametrize("written", ["null", "[]", '{"m at u": "temperature", "n": ["messages", 5]}', "{"])
def test_a_note_that_holds_something_else_leaves_nothing_out(tmp_path: Path, written: str) -> None:
    open_workspace(load_settings(folders(tmp_path))).note("refused-parameters").write(written)
    with openai_stub(HELLO) as server, opened(server, tmp_path) as assistant:
        assert assistant.ask("hello", THREAD).answer == "Hello."
        assert "temperature" in server.requests[0]


def test_an_empty_temperature_sends_none(tmp_path: Path) -> None:
    with openai_stub(HELLO) as server, opened(server, tmp_path, TEMPERATURE="") as assistant:
        assistant.ask("hello", THREAD)
    assert "temperature" not in server.requests[0]


def test_a_key_that_a_provider_quotes_is_hidden(tmp_path: Path) -> None:
    quoting = openai("The key sk-of-mine-12345 may not do this.", None, None)
    reply = Said(status=403, body=json.dumps(quoting))
    key = {"OPENAI_API_KEY": "sk-of-mine-12345"}
    with openai_stub(reply, dialect="openrouter") as server, opened(server, tmp_path, **key) as assistant:
        answer = assistant.ask("hello", THREAD).answer
    assert "“The key [secret] may not do this”" in answer
