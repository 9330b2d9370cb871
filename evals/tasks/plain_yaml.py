"""YAML from outside: what in it could grow when it is read is refused."""

from ana.values import DEEP


def check_yaml(text: str) -> None:
    """Check that a text stands for nothing larger than itself, and can be read without end of the stack.

    Raises:
        ValueError: It has an alias, of which a few lines can stand for billions of values, or is nested more than DEEP.
        yaml.YAMLError: It is not YAML.
    """
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"it has an alias, *{event.anchor}; write out what it stands for")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEP:
            raise ValueError(f"it is nested more than {DEEP} deep")
