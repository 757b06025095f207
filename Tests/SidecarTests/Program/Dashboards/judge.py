"""What Grafana's schema, its list of units and a parser of PromQL say of dashboards, as JSON.

usage: judge.py DASHBOARD...

Prints, for each file, a list of faults; an empty one for a good dashboard.
"""

import json
import sys

import promql_parser
import pydantic
from grafana_foundation_sdk.models import units
from grafana_schema.models import Dashboard

UNITS = {value for name, value in vars(units).items() if isinstance(value, str) and name[0] != "_"}
SCHEMA = pydantic.TypeAdapter(Dashboard)
WANTED = {"job": "$job", "instance": "$instance"}


def selectors(node):
    """All vector selectors of a parsed query."""
    found = []

    def keep(expression):
        if isinstance(expression, promql_parser.VectorSelector):
            found.append(expression)

    promql_parser.walk(node, keep)
    return found


def query_faults(expression):
    # The variables stand where the parser wants a duration or takes any text.
    try:
        parsed = promql_parser.parse(expression.replace("$__rate_interval", "5m"))
    except ValueError as fault:
        return [f"{expression}: {fault}"]
    faults = []
    chosen = selectors(parsed)
    if not chosen:
        faults.append(f"{expression}: asks for nothing")
    for selector in chosen:
        matchers = {
            matcher.name: (matcher.op, matcher.value) for matcher in selector.matchers.matchers}
        for name, value in WANTED.items():
            if matchers.get(name) != (promql_parser.MatchOp.Re, value):
                faults.append(f'{expression}: {selector.name} has no {name}=~"{value}"')
    return faults


def faults(path):
    with open(path, encoding="utf-8") as file:
        board = json.load(file)
    found = []
    try:
        SCHEMA.validate_python(board)
    except pydantic.ValidationError as fault:
        found += [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in fault.errors()]
    for panel in board.get("panels", []):
        if panel.get("type") == "row":
            continue
        field = panel.get("fieldConfig", {})
        used = [field.get("defaults", {}).get("unit")]
        for override in field.get("overrides", []):
            used += [one["value"] for one in override["properties"] if one["id"] == "unit"]
        found += [f"{panel.get('title')}: no unit {unit}" for unit in used if unit not in UNITS]
        for target in panel.get("targets", []):
            found += query_faults(target.get("expr", ""))
    return found


print(json.dumps({path: faults(path) for path in sys.argv[1:]}))
