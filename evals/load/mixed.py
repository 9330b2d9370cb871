"""Messages to one thread at the same moment: raw runs of the API, POST /ask, and an assistant in another process."""

import json
import uuid
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import httpx
from langgraph_sdk import get_sync_client

from ana.children import CompletedProcess, run_python
from ana.handles import open_data
from ana.settings import load_settings
from ana.workspace import open_workspace

RUNS, POSTS, TALKED = 8, 16, 16
"""How many messages come through each door. The server starts a thread's runs half a second apart."""

SECONDS = 600.0
"""When a request gives up."""


class Run(Protocol):
    """Runs `python *arguments` to its end."""

    def __call__(self, *arguments: str, stdin: str, env: Mapping[str, str]) -> CompletedProcess[str]: ...


def run_round(url: str, env: Mapping[str, str], name: str, run: Run = run_python) -> list[str]:
    """Send messages that are each to be stored to a new thread, all at once. Return what is wrong afterwards.

    Args:
        url: The running server.
        env: The environment of the server: its folders and its model.
        name: Tells this round's messages from those of other rounds.
        run: Runs the assistant of the other process.
    """
    thread = str(uuid.uuid4())
    questions = [f"note: {name} message {n}" for n in range(RUNS + POSTS + TALKED)]
    runs, posted, talked = questions[:RUNS], questions[RUNS:-TALKED], questions[-TALKED:]
    with get_sync_client(url=url, timeout=SECONDS) as client, ThreadPoolExecutor(RUNS + POSTS + 1) as pool:
        client.threads.create(thread_id=thread)
        answers = [pool.submit(_run, client, thread, question) for question in runs]
        answers += [pool.submit(_ask, url, thread, question) for question in posted]
        talk = pool.submit(_talk, run, env, thread, talked)
        results = [answer.result() for answer in answers] + talk.result()
        state: Any = client.threads.get_state(thread)["values"]
    return _find_faults(env, thread, questions, results, state["messages"])


def _run(client: Any, thread: str, question: str) -> str:
    inputs = {"messages": [{"role": "user", "content": question}]}
    return str(client.runs.wait(thread, "ana", input=inputs)["messages"][-1]["content"])


def _ask(url: str, thread: str, question: str) -> str:
    """Ask until the thread is free: 409 says that it was not within the server's patience."""
    while True:
        answer = httpx.post(f"{url}/ask", json={"question": question, "thread_id": thread}, timeout=SECONDS)
        if answer.status_code != 409:
            return str(answer.raise_for_status().json()["answer"])


def _talk(run: Run, env: Mapping[str, str], thread: str, questions: list[str]) -> list[str]:
    done = run("-m", "evals.load.talker", thread, stdin="\n".join(questions), env=env)
    return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else [done.stderr[-2000:]]


def _find_faults(
    env: Mapping[str, str], thread: str, questions: list[str], answers: list[str], messages: list[dict[str, Any]]
) -> list[str]:
    workspace = open_workspace(load_settings(env))
    traced = [record["question"] for record in workspace.open_traces().read(thread)]
    sent = [message["content"] for message in messages if message["type"] == "human"]
    with open_data(workspace, "ana load") as handles:
        stored = Counter(text for item in handles.memory.items() for text in _find_sources(questions, item.content))
    wrong = (
        [] if len(answers) == len(questions) else [f"{len(answers)} answers to {len(questions)} messages: {answers}"]
    )
    wrong += [f"an answer is empty: {answers}"] if not all(answers) else []
    wrong += [] if sorted(sent) == sorted(questions) else [f"the state has {len(sent)} messages: {sent}"]
    wrong += [] if traced == sent else [f"the traces have another order: {traced} and not {sent}"]
    return wrong + [f"stored {stored[text]} times: {text}" for text in questions if stored[text] != 1]


def _find_sources(questions: list[str], content: str) -> list[str]:
    """Return the questions that an item was stored for; the offline reader leaves out what comes before the text."""
    return [question for question in questions if question.casefold().endswith(content.casefold())]
