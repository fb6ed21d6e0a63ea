"""A small site with a part that needs a license."""

import logging
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from latchkey import Latchkey

logging.basicConfig()
log = logging.getLogger("shop")

# Take the domain from your configuration, and never from the Host header, which clients choose.
guard = Latchkey(
    os.environ.get("LICENSE_URL", "https://licenses.example.com"),
    os.environ.get("LICENSE_KEY", "LIC-7H2K-9QWX-M4TB-C0VJ"),
    os.environ.get("LICENSE_DOMAIN", "shop.example.com"),
    os.environ.get("LICENSE_FILE", "/var/lib/my-shop/license.json"),
)

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>My shop</title>
<style>:root {{ color-scheme: light dark; font: 1rem/1.5 system-ui }} body {{ max-width: 40rem; margin: 3rem auto; padding: 0 1rem }}</style>
<h1>My shop</h1>
<p>This part works for everybody.</p>
{reports}</html>
"""
REPORTS = "<h2>Reports</h2>\n<p>This part needs a license.</p>\n"


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        verdict = guard.check()
        # The owner reads the log. Visitors see nothing of this.
        if verdict.state != "valid":
            log.warning("License: %s (%s)", verdict.state, verdict.reason)
        # Unknown is not invalid: the license server may be down, which is not the fault of the visitors.
        has_reports = verdict.state != "invalid"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.format(reports=REPORTS if has_reports else "").encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 100  # Visitors who come at once.


if __name__ == "__main__":
    Server(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Shop).serve_forever()
