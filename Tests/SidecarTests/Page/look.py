"""Looks at a page with a real browser; prints what was seen, as JSON.

usage: look.py CHROMIUM URL FOLDER

Opens the page light, dark and narrow, with screenshots in FOLDER.
"""

import json
import struct
import sys
import zlib

from playwright.sync_api import sync_playwright

VIEWS = {
    "light": ("light", 1280, 900),
    "dark": ("dark", 1280, 900),
    "narrow": ("light", 360, 740),
}

# Every table as texts and as the exact values behind them.
TABLES = """() => [...document.querySelectorAll('table')].map(table => ({
  caption: table.caption.textContent,
  columns: [...table.tHead.rows[0].cells].map(cell => cell.textContent),
  rows: [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => ({
    text: cell.textContent,
    values: [...cell.querySelectorAll('data')].map(data => data.value)}))),
}))"""

# The worst contrast between a text and the page, as WCAG 2 reckons it.
CONTRAST = """() => {
  const channels = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const luminance = colour => {
    const [r, g, b] = channels(colour).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const back = luminance(getComputedStyle(document.body).backgroundColor);
  const against = colour => {
    const front = luminance(colour);
    return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  };
  const of = (selector, property) => [...document.querySelectorAll(selector)]
    .map(element => against(getComputedStyle(element)[property]));
  return {
    texts: Math.min(...of('h1,h2,h3,p,a,caption,th,td,span.good,span.bad,li,footer', 'color')),
    drawings: Math.min(...of('rect,svg text', 'fill'))};
}"""


def first_pixel(png):
    """The pixel in the upper left corner; no filter changes it."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += 12 + size
    return list(zlib.decompress(data)[1:4])


def look(browser, url, scheme, width, height, file):
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": height}, locale="en")
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda fault: said.append(str(fault)))
    page.on("request", lambda request: asked.append(request.url))
    answer = page.goto(url)
    page.wait_for_load_state("networkidle")
    png = page.screenshot(path=file, full_page=True)
    stops = []
    for _ in range(4):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("() => document.activeElement.tagName"))
    seen = {
        "status": answer.status,
        "headers": answer.all_headers(),
        "console": said,
        "requests": asked,
        "width": page.evaluate("() => document.documentElement.scrollWidth"),
        "styled": page.evaluate("() => getComputedStyle(document.querySelector('caption')).textAlign"),
        "corner": first_pixel(png),
        "accessible": page.locator("body").aria_snapshot(),
        "tables": page.evaluate(TABLES),
        "contrast": page.evaluate(CONTRAST),
        "stops": stops,
    }
    context.close()
    return seen


def main():
    chromium, url, folder = sys.argv[1:]
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        print(json.dumps({
            name: look(browser, url, *view, f"{folder}/{name}.png")
            for name, view in VIEWS.items()}))
        browser.close()


main()
