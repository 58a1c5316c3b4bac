"""Mend two of Material's habits that leave some readers out.

The navigation's inner lists are labelled with an empty element, and "skip to
content" skips the title and all that stands above the first heading.
"""

import re

UNNAMED = re.compile(
    r'aria-labelledby="(__nav_[\d_]+)_label"'
    r'(?=[^>]*>\s*<label class="md-nav__title" for="\1">\s*<span[^>]*></span>\s*([^<]*?)'
    r"\s*</label>)")


def on_post_page(output, page, config):
    output = re.sub(r'<a href="#[^"]*" (?=class="md-skip">)', '<a href="#title" ', output)
    return UNNAMED.sub(r'aria-label="\2"', output)
