"""Turn LaTeX into MathML at build time; a formula that is wrong stops the build."""

import html
import re
from pathlib import Path

from math_core import LatexError, LatexToMathML
from mkdocs.exceptions import PluginError

from pages import page_text

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>'
                     "([，。、；：？！）,.;:)]*)", re.S)
CONVERTER = LatexToMathML(fancy_error=False)


def on_page_content(content, page, config, files):
    def convert(match):
        latex = html.unescape(match[2]).strip()
        try:
            math = CONVERTER.convert_with_local_state(latex, displaystyle=match[1] == "div")
        except LatexError as error:
            source = page_text(Path(page.file.abs_src_path))
            at = max(source.find(f"${latex}$"), source.find(latex), 0)
            line = source[:at].count("\n") + 1
            _, _, reason = str(error).strip().replace("\n", " ").partition(": ")
            raise PluginError(f"docs/{config.extra['language']}/{page.file.src_uri}:{line}: "
                              f"{reason} (in ${latex}$)") from None
        math = f'<{match[1]} class="math" data-search-exclude>{math}</{match[1]}>'
        # no line may begin with the mark
        return f'<span style="white-space: nowrap">{math}{match[3]}</span>' if match[3] else math

    page.has_math = "arithmatex" in content
    return FORMULA.sub(convert, content)
