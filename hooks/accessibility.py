"""Name the navigation's inner lists: Material labels them with an empty element."""

import re

UNNAMED = re.compile(
    r'aria-labelledby="(__nav_[\d_]+)_label"'
    r'(?=[^>]*>\s*<label class="md-nav__title" for="\1">\s*<span[^>]*></span>\s*([^<]*?)'
    r"\s*</label>)")


def on_post_page(output, page, config):
    return UNNAMED.sub(r'aria-label="\2"', output)
