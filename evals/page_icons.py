"""The page's icons as pictures, of `icon.svg`: for phones that draw none of their own. Run again where it changes."""

from app.page.shell import FILES
from evals.page_picture import CHROMIUM

ICON = FILES / "icon.svg"
WHOLE = "icon-whole.png"
"""Without round corners, where a phone cuts its own."""


def draw() -> None:
    """Write the icons beside the page's other files."""
    from playwright.sync_api import sync_playwright

    svg = ICON.read_text(encoding="utf-8")
    square = svg.replace(' rx="14"', "")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, size, drawn in (("icon-192.png", 192, svg), ("icon-512.png", 512, svg), (WHOLE, 512, square)):
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{drawn}")
            page.screenshot(path=FILES / name, omit_background=True)
        browser.close()


if __name__ == "__main__":
    draw()
