"""asv_page.py FOLDER: looks at the pages of `asv publish` in a headless Chromium, which is kept from
every network, and fails unless a benchmark's page has drawn a plot.

asv's pages load jQuery and Flot from a content delivery network. `--vendor FOLDER` holds copies, by
the file names in index.html; scripts are taken from there and written beside the pages, so that they
work without a network. Where no Chromium is installed this says so and ends with 0.
"""

import argparse
import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1400,1000"),
    *("--virtual-time-budget=20000", "--timeout=60000"),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def rendered(browser, address, screenshot=None):
    """The page's HTML after its scripts have run."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}"]
        if screenshot:
            subprocess.run(
                [*command, f"--screenshot={screenshot}", address], capture_output=True, timeout=120
            )
        done = subprocess.run(
            [*command, "--dump-dom", address], capture_output=True, text=True, timeout=120
        )
    return done.stdout


def drawn(html):
    """Whether Flot has drawn: its canvas, and ticks of both axes beside it."""
    canvas = re.search(r'<canvas[^>]*class="flot-base"', html)
    return bool(canvas) and "flot-x-axis" in html and "flot-y-axis" in html


def external(folder):
    """Addresses of scripts and styles that the pages take from elsewhere."""
    text = (folder / "index.html").read_text()
    return re.findall(r'(?:src|href)="((?:https?:)?//[^"]+\.(?:js|css))"', text)


def localize(folder, vendor):
    """Has the pages take their scripts from files beside them; returns what is missing."""
    page = folder / "index.html"
    text, missing = page.read_text(), []
    for address in external(folder):
        name = address.rsplit("/", 1)[1]
        source = vendor / name
        if source.is_file():
            (folder / "vendor").mkdir(exist_ok=True)
            shutil.copy(source, folder / "vendor" / name)
            text = text.replace(address, f"vendor/{name}")
        else:
            missing.append(name)
    # Integrity and origin are about another server's files.
    text = re.sub(r'(<(?:script|link)[^>]*vendor/[^>]*?)\s+integrity="[^"]*"', r"\1", text)
    page.write_text(text)
    return missing


def plotted(folder):
    """The name of a benchmark with a plot to draw."""
    names = json.loads((folder / "index.json").read_text())["benchmarks"]
    return next(iter(names), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vendor", type=Path, help="folder of jQuery's and Flot's files")
    parser.add_argument("--screenshot", type=Path)
    options = parser.parse_args()
    if not (options.folder / "index.html").is_file():
        sys.exit(f"asv_page: no pages in {options.folder}; asv publish writes them")
    if options.vendor:
        missing = localize(options.folder, options.vendor)
        if missing:
            sys.exit(f"asv_page: {options.vendor} lacks {', '.join(missing)}")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("asv_page: no chromium installed (Debian: apt install chromium); not looked at")
        return
    name = plotted(options.folder)
    if name is None:
        sys.exit("asv_page: the pages hold no benchmark")
    handler = functools.partial(Quiet, directory=options.folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/index.html#{name}"
    seen = drawn(rendered(browser, address, options.screenshot))
    server.shutdown()
    if not seen:
        elsewhere = external(options.folder)
        reason = f"; without a network its scripts are missing: {elsewhere}" if elsewhere else ""
        sys.exit(f"asv_page: no plot drawn for {name}{reason}")
    print(f"asv_page: a plot is drawn for {name}")


if __name__ == "__main__":
    main()
