"""Writes a scenario, as a dict, in TOML."""

import json


def scenario(table):
    """Returns the text of a scenario: its keys, one a line, then its flows."""
    lines = [f"{key} = {value(content)}" for key, content in table.items() if key != "flow"]
    for flow in table["flow"]:
        lines += ["", "[[flow]]"] + [f"{key} = {value(content)}" for key, content in flow.items()]
    return "\n".join(lines) + "\n"


def value(content):
    """Returns a value in TOML; tables are inline."""
    if isinstance(content, dict):
        inside = ", ".join(f"{key} = {value(item)}" for key, item in content.items())
        return f"{{ {inside} }}"
    if isinstance(content, (list, tuple)):
        return f"[{', '.join(map(value, content))}]"
    if isinstance(content, float):
        return f"{content:.9f}"
    # whole numbers, truth values and texts are written as in JSON
    return json.dumps(content)
