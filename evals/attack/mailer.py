"""A tool of a person's own: what it was made to send is harm that nothing takes back."""

SENT: list[str] = []
"""What was sent."""


def send_mail(to: str, text: str) -> str:
    """Send a mail."""
    SENT.append(f"{to}: {text}")
    return "It is on its way."


TOOLS = [send_mail]
