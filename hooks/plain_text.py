"""Write each page as plain Markdown beside it, its code folded in."""

from pathlib import Path


def listing(articles) -> str:
    return "\n".join(
        f"- [{a['title']}]({{root}}{a['url']}index.md): {a['description']}" for a in articles)


def on_post_page(output, page, config):
    extra = config.extra
    article = extra["articles"].get(page.file.src_uri)
    title = config.site_name if page.is_homepage else page.title
    parts = [f"# {title}", page.meta.get("description", ""), page.plain.strip()]
    if article is None:
        whole = page.file.src_uri in ("about.md", "errors.md")
        if not whole:  # its description is the text
            parts.pop()
        track = next((t for t in extra["tracks"] if t["url"] == page.url), None)
        shown = track["articles"] if track else extra["latest"]
        if not whole:
            parts.append(listing(shown).replace("{root}", "../" * page.url.count("/")))
        if track:  # what it says under headings of its own
            parts.append("".join(page.plain.partition("\n## ")[1:]).strip())
    else:
        parts.insert(2, f"{page.canonical_url} · {article['updated']}")
    folder = Path(config.site_dir) / page.url
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.md").write_text("\n\n".join(filter(None, parts)) + "\n", "utf-8")
    return output
