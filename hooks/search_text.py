"""Spare Material's search parser what it would leave out anyway.

It reads every tag in Python, figures and formulas included: a quarter of the
build. What is marked `data-search-exclude`, and scripts, are held back and
put in again after it. A marked element may not hold one of its own tag.
"""

import re

HELD = re.compile(r'<(\w+) [^>]*data-search-exclude>.*?</\1>|<script.*?</script>', re.S)
PLACE = re.compile(r"<!--held (\d+)-->")


def on_page_content(content, page, config, files):
    page.held = []

    def hold(match):
        page.held.append(match[0])
        return f"<!--held {len(page.held) - 1}-->"

    return HELD.sub(hold, content)


def on_page_context(context, page, config, nav):
    page.content = PLACE.sub(lambda match: page.held[int(match[1])], page.content)
