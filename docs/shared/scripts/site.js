// Copying, wrapping, light and dark, enlarging a figure, keeping the place across languages.
const ui = JSON.parse(document.getElementById("__ui").textContent)

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
  } catch { // no clipboard on plain http
    const area = Object.assign(document.createElement("textarea"), { value: text })
    document.body.append(area)
    area.select()
    document.execCommand("copy")
    area.remove()
  }
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]")
  if (button) {
    const file = button.dataset.copy
    const source = file
      ? document.querySelector(`script[data-file="${file}"]`)
      : button.closest(".snippet").querySelector("pre code")
    await copy(source.textContent)
    button.dataset.label ??= button.textContent
    button.textContent = ui.copied
    setTimeout(() => { button.textContent = button.dataset.label }, 1500)
  }

  const wrap = target.closest("[data-wrap]")
  if (wrap) {
    const wrapped = wrap.closest(".snippet").classList.toggle("snippet--wrapped")
    wrap.setAttribute("aria-pressed", wrapped)
  }

  if (target.closest("[data-scheme]")) {
    const next = isDark() ? "light" : "dark"
    const system = dark.matches ? "dark" : "light"
    if (next === system) localStorage.removeItem("scheme")
    else localStorage.setItem("scheme", next)
    paint()
  }

  const language = target.closest("[data-language]")
  if (language) {
    const passed = [...document.querySelectorAll("article [id]:is(h2, h3, h4)")]
      .filter(heading => heading.getBoundingClientRect().top < 120)
    language.hash = passed.length ? passed.at(-1).id : ""
  }
})

document.querySelectorAll(".figure > a").forEach(link =>
  link.addEventListener("click", event => {
    event.preventDefault()
    const box = document.createElement("dialog")
    box.className = "lightbox"
    box.setAttribute("aria-label", link.querySelector("svg").getAttribute("aria-label"))
    box.innerHTML = `<button type="button" aria-label="${ui.close}">×</button>`
    box.append(link.querySelector("svg").cloneNode(true))
    box.addEventListener("click", () => box.close())
    box.addEventListener("close", () => box.remove())
    document.body.append(box)
    box.showModal()
  }))

// Material searches on a key: let text that was pasted by mouse or touch count as one.
document.querySelector("[data-md-component=search-query]")
  ?.addEventListener("input", ({ target }) => target.dispatchEvent(new KeyboardEvent("keyup")))

// How much of the article has been read, under the header.
const article = document.querySelector("article")
const bar = document.querySelector(".reading")
if (article && bar) {
  const update = () => {
    const { top, height } = article.getBoundingClientRect()
    const read = -top / Math.max(1, height - innerHeight)
    bar.style.transform = `scaleX(${Math.min(1, Math.max(0, read))})`
  }
  addEventListener("scroll", update, { passive: true })
}

// Code that scrolls sideways must be reachable from the keyboard.
// All are measured before the first is changed, or each would lay the page out anew.
;[...document.querySelectorAll(".snippet pre code, .table")]
  .filter(box => box.scrollWidth > box.clientWidth)
  .forEach(box => { box.tabIndex = 0 })
