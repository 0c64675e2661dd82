"""asv_page.py FOLDER: looks at the pages of `asv publish` in a headless Chromium that reaches no
network, and fails unless a benchmark's page has drawn a plot.

asv's pages load jQuery, Flot and others from elsewhere. `--vendor FOLDER` names an npm folder with
these packages; their files are copied beside the pages, which then work without a network. Where no
Chromium is installed this says so and ends with 0.
"""

import argparse
import base64
import functools
import hashlib
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
    """Whether Flot has drawn: its canvas, and numbers beside it (one commit has no dates below)."""
    return bool(re.search(r'<canvas[^>]*class="flot-base"', html)) and "flot-tick-label" in html


def external(folder):
    """Addresses of scripts and styles that the pages take from elsewhere."""
    text = (folder / "index.html").read_text()
    return re.findall(r'(?:src|href)="((?:https?:)?//[^"]+\.(?:js|css))"', text)


def digest(path):
    """The value of an integrity attribute."""
    return "sha256-" + base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()


def find(vendor, name):
    """The package's file of that name, its version and `.min` left out where need be."""
    plain = re.sub(r"-[0-9.]+(?=\.)", "", name)
    for each in (name, plain, plain.replace(".min.", ".")):
        found = sorted(vendor.glob(f"node_modules/**/{each}"))
        if found:
            return found[0]
    return None


def localize(folder, vendor):
    """Has the pages take their scripts from files beside them; returns what is missing."""
    page = folder / "index.html"
    text, missing = page.read_text(), []
    for address in external(folder):
        name = address.rsplit("/", 1)[1]
        source = find(vendor, name)
        if source is None:
            missing.append(name)
            continue
        (folder / "vendor").mkdir(exist_ok=True)
        shutil.copy(source, folder / "vendor" / name)
        # The file is the package's, whose digest may not be that of a network's smaller form.
        tag = re.compile(f'"{re.escape(address)}" integrity="[^"]*"')
        text = tag.sub(f'"vendor/{name}" integrity="{digest(source)}"', text)
    page.write_text(text)
    return missing


def plotted(folder):
    """The name of a benchmark with a plot to draw: one that was measured."""
    names = json.loads((folder / "index.json").read_text())["benchmarks"]
    summaries = folder / "graphs" / "summary"
    return next((name for name in names if (summaries / f"{name}.json").is_file()), None)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"asv_page: {message}\n")


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vendor", type=Path, help="npm folder of jQuery's and Flot's files")
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
        sys.exit("asv_page: the pages hold no benchmark that was measured")
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
