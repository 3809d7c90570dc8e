#!/usr/bin/env python3
# palimpsest: {"settings": {"keep": {"type": "integer", "default": 3, "minimum": 0, "description": "Newest results that stay."}}}
"""A compaction strategy for Palimpsest: hides every tool result but the newest ones."""
import json
import sys

context = json.loads(sys.stdin.readline())
results = [message["id"] for message in context["history"] if message["role"] == "tool"]
keep = context["settings"]["keep"]
old = set(results[: max(0, len(results) - keep)])

messages = []
for message in context["history"]:
    if message["id"] in old:
        messages.append({"hide": message["id"], "note": "Run the tool again if you need it."})
    else:
        messages.append(message["id"])

print(json.dumps({"type": "result", "messages": messages if old else None}), flush=True)
