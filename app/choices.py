"""The providers of models that a person can choose, in `ana setup` and on the page."""

from collections.abc import Mapping
from dataclasses import dataclass

from ana.models.providers import OPENROUTER_URL
from ana.settings import OPENAI_URL


@dataclass(frozen=True)
class Choice:
    """A provider that can be chosen.

    Args:
        help: A description in one line.
        provider: Its value of LLM_PROVIDER.
        model: The setting that names its model; empty if it has none.
        key: The setting that holds its key; empty if it needs none.
        url: The setting of its address; empty if it is always the same.
        api: Its address where that is always the same.
        keys: The page on which a key is made.
    """

    help: str
    provider: str
    model: str = ""
    key: str = ""
    url: str = ""
    api: str = ""
    keys: str = ""


NO_KEY = "none"
"""What a server of one's own is sent that needs no key; the client refuses an empty one."""

CHOICES = {
    "openai": Choice(
        "OpenAI, with a key",
        "openai",
        "OPENAI_MODEL",
        "OPENAI_API_KEY",
        api=OPENAI_URL,
        keys="https://platform.openai.com/api-keys",
    ),
    "openrouter": Choice(
        "OpenRouter, with a key",
        "openrouter",
        "OPENROUTER_MODEL",
        "OPENROUTER_API_KEY",
        api=OPENROUTER_URL,
        keys="https://openrouter.ai/settings/keys",
    ),
    "ollama": Choice("Ollama, on a machine of your own", "ollama", "OLLAMA_MODEL", url="OLLAMA_HOST"),
    "compatible": Choice(
        "another server with OpenAI's protocol", "openai", "OPENAI_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"
    ),
    "offline": Choice("no model: the offline reader, which keeps what you say and finds it again", "offline"),
}


def find_key(choice: Choice, env: Mapping[str, str], url: str) -> str:
    """Return the key that is set for the same address, or a placeholder if the person's own server needs none.

    Args:
        env: The settings that are known.
        url: The address; empty for the provider's own.
    """
    is_same = choice.provider != "openai" or url == env.get("OPENAI_BASE_URL", "")
    return (env.get(choice.key, "") if is_same else "") or (NO_KEY if url else "")


def is_key(text: str) -> bool:
    """Return whether a text can be a key: one word of ASCII letters, digits and signs."""
    return bool(text) and text.isascii() and text.isprintable() and " " not in text
