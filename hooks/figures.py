"""Put SVG figures into the page itself, so that they follow its colours and language."""

import re
from pathlib import Path

from mkdocs.exceptions import PluginError

SHARED = Path(__file__).parent.parent / "docs/shared"
IMAGE = re.compile(r'<p><img alt="([^"]*)" src="([^"]*figures/([^"]+\.svg))" ?/?></p>')


def on_page_content(content, page, config, files):
    def inline(match):
        alt, link, name = match.groups()
        if len(alt) < 10:
            raise PluginError(f"{page.file.src_uri}: the figure {name} needs an alt text "
                              "that says what it shows")
        svg = (SHARED / "figures" / name).read_text("utf-8").strip()
        svg = re.sub(r"^<\?xml.*?\?>\s*", "", svg)
        svg = svg.replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1)
        return (f'<figure class="figure" data-search-exclude><a href="{link}" '
                f'title="{config.extra["ui"]["enlarge"]}">{svg}</a></figure>')

    return IMAGE.sub(inline, content)
