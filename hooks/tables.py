"""Wrap tables, so that a wide one scrolls by itself.

Material's script would do that in the browser, after the page is drawn, and
have all of it laid out again; it leaves tables with a class alone.
"""


def on_page_content(content, page, config, files):
    return (content.replace("<table>", '<div class="table"><table class="data">')
            .replace("</table>", "</table></div>"))
