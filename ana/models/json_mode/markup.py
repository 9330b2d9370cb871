"""The markup around and between decisions: tokens of chat templates, labels, tags, fences.

From the chat templates on the model cards of Llama, Mistral, Gemma, Qwen, DeepSeek, Command R7B, Phi, Functionary,
Kimi K2, GLM-4.5, InternLM and gpt-oss ("OpenAI harmony response format"), and from the prompts of ReAct ("ReAct:
Synergizing Reasoning and Acting") as LangChain's agents wrote them.
"""

import re

from ana.patterns import compile_later

_TOOL = r"[\"'`*]*(?P<{}>[A-Za-z_][\w.\\-]{{0,80}})[\"'`*]*"


def _tool(group: str) -> str:
    return _TOOL.format(group)


THOUGHTS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel|>analysis<|message|>": "<|end|>",
}
SKIPPED = {
    "<tool_response>": "</tool_response>",
    "[TOOL_RESULTS]": "[/TOOL_RESULTS]",
    "```tool_outputs": "\n```",
    "[INST]": "[/INST]",
    "<!--": "-->",
}
"""Parts that are neither decision nor prose: invented results, the prompt's frame, comments."""

HEADERS = (
    rf"^\**Action:?\**:?[ \t]*{_tool('react')}[ \t]*\r?\n\**Action Input:?\**:?[ \t]*",
    rf"^\**Action:?\**:?[ \t]*{_tool('paper')}\[(?=[^\]\n]{{0,400}}\][ \t]*$)",
    rf"✿FUNCTION✿:[ \t]*{_tool('qwen')}\s{{0,4}}✿ARGS✿:[ \t]*",
    rf"\[TOOL_CALLS\][ \t]*{_tool('mistral')}(?:\[ARGS\])?(?=[ \t]*\{{)",
    rf">>>{_tool('functionary')}\r?\n(?=\s{{0,4}}\{{)",
    rf"<\|recipient\|>{_tool('recipient')}\s{{0,4}}<\|content\|>",
    rf"<\|channel\|>commentary to={_tool('harmony')}[^<\n]{{0,40}}(?:<\|constrain\|>\w{{0,20}}[ \t]*)?<\|message\|>",
    rf"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?{_tool('deepseek')}(?:<｜tool▁sep｜>|\s{{0,4}}(?=```))",
    rf"<\|tool_call_begin\|>{_tool('kimi')}(?::\d{{1,4}})?\s{{0,4}}<\|tool_call_argument_begin\|>",
    rf"<tool>\s{{0,4}}{_tool('homemade')}\s{{0,4}}</tool>\s{{0,4}}<args>",
    rf"<function={_tool('llama')}>(?=\s{{0,4}}\{{)",
    rf"\bcall:{_tool('gemma')}(?=\{{)",
)
"""A tool's name, followed by its arguments."""

BARE = {"react": "", "paper": "]"}
"""Headers whose arguments may be a text without braces, and what ends it on its line."""

ANSWERS = {
    r"<final>\s{0,4}<answer>": "</answer>",
    r"<answer>": "</answer>",
    r"<final>": "</final>",
    r"^\**Final Answer:?\**:": "",
    r"✿RETURN✿:": "",
    r">>>all\r?\n": "",
    r"<\|recipient\|>all\s{0,4}<\|content\|>": "",
}
"""The beginning and the end of an answer; an empty end stands for the end of the reply."""

_TURN = r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|start\|>|<\|from\|>)\s{0,2}"
USER = rf"{_TURN}user(?:<\|end_header_id\|>)?|<\|user\|>|^(?:User|Human)[ \t]*:"
ROLE = rf"{_TURN}(?:assistant|model)(?:<\|end_header_id\|>)?\s?|^(?:Assistant|AI)[ \t]*:[ \t]*"
RESULT = (
    r"✿RESULT✿:|^\**(?:Observation|Tool (?:result|output|response)|Function (?:result|output))s?\**[ \t]*:\**[ \t]*"
)
ASIDE = r"^\**(?:Thought|Plan|Reasoning)\**:\**[^\n]*"
LABEL = r"^\**(?:Action|Call|Tool call)\**:\**[ \t]*"
FENCE = r"(?:```+|~~~+)[ \t]*(?P<lang>[A-Za-z_]+\b)?"
TAGGED = r"<(?:｜DSML｜)?(?:function=|invoke name=[\"'])(?P<tagged>[\w.-]{1,80})[\"']?>(?!\s{0,4}\{)"
KEYED = rf"<tool_call>\s{{0,4}}{_tool('keyed')}\s{{0,4}}(?=<arg_key>|</tool_call>)"
TOKEN = (
    r"<\|channel\|>\w{1,20}<\|message\|>|<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|</?(?:s|bos|eos|pad|tool_calls?|tools|functioncall|function_calls?|args)>"
    r"|</?｜DSML｜function_calls>|<(?:start|end)_of_turn>|<(?:start|end)_function_call>|<(?:bot|eot|human)_end>"
    r"|<<function>>|<</?SYS>>|\[/?INST\]|\[TOOL_CALLS\]|\[/(?:THINK|TOOL_RESULTS)\]"
)
CODE = (
    rf"(?:{LABEL}|^[ \t]*(?:>[ \t]*)?|(?<=[>\]])[ \t]*)"
    r"(?P<before>(?:await[ \t]+|return[ \t]+|\w{1,40}[ \t]*=[ \t]*|print\(|\[[ \t]*){0,4})"
    r"(?P<code>(?:[A-Za-z_]\w{0,60}\.){0,4}[A-Za-z_]\w{0,60})\("
)

MARKER = compile_later(
    r"(?:here (?:is|'s) |this is )?(?:the |my |a )?(?:(?:json|final|next|tool|function) )*"
    r"(?:decision|answer|response|output|json|call|action|assistant|ai|result|réponse(?: finale)?|antwort|entscheidung)"
    r"[*_ ]*[:：]",
    re.IGNORECASE,
)
"""The words that may stand before a decision on its line."""


def _literal(words: dict[str, str]) -> str:
    return "|".join(map(re.escape, words))


SCAN = compile_later(
    "|".join(
        f"(?P<{kind}_>{pattern})"
        for kind, pattern in (
            ("thought", _literal(THOUGHTS)),
            ("unthought", "|".join(re.escape(end) for end in THOUGHTS.values() if end != "<|end|>")),
            ("skipped", _literal(SKIPPED)),
            ("user", USER),
            ("result", RESULT),
            ("answer", "|".join(ANSWERS)),
            ("header", "|".join(HEADERS)),
            ("tag", TAGGED),
            ("keys", KEYED),
            ("role", ROLE),
            ("aside", ASIDE),
            ("call", CODE),
            ("label", LABEL),
            ("token", TOKEN),
            ("fence", FENCE),
            ("value", r"[{\[]"),
        )
    ),
    re.MULTILINE,
)
"""All markup, the first that fits at a place; the group's name says which it is."""
