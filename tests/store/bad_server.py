"""An HTTP server that misbehaves on purpose, for the store's tests.

The first path segment says how, the last one which file:

  /ok/F           ranges, ETag                  /norange/F     ignores Range
  /cut-N/F        closes after N bytes          /dead/F        announces all, sends nothing
  /long-N/F       announces N bytes too many    /short-N/F     announces and sends at most N
  /more/F         sends junk after the file     /stall/F       half, then silence (first time only)
  /frozen/F       half, then silence, always    /redirect/F    to /ok/F
  /loop/F         redirects to itself           /code-C/F      status C, always
  /flaky-C/F      status C twice, then /ok      /wrong/F       right length, wrong bytes
  /changed/F      half of other bytes with another ETag, then /ok
  /badrange/F     answers a range with another  /gate/F        half, then waits for release()
  /hub/ORG/REPO/resolve/REV/F                   the hub: HEAD with X-Linked-*, GET to /cdn/F
"""
import hashlib
import http.server
import threading


class BadServer:
    def __init__(self):
        self.files = {}         # name -> bytes
        self.requests = []      # (method, path, headers as dict with lower-case names)
        self.hub_commit = "c0ffee" + "0" * 34
        self.hub_token = None   # required on /hub when set
        self.half_sent = threading.Event()
        self.gate = threading.Event()
        self._seen = {}
        self._lock = threading.Lock()
        owner = self

        class Handler(_Handler):
            server_owner = owner

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.gate.set()
        self._http.shutdown()
        self._http.server_close()

    def release(self):
        self.gate.set()

    def count(self, key):
        """How often `key` was asked before."""
        with self._lock:
            n = self._seen.get(key, 0)
            self._seen[key] = n + 1
            return n

    def paths(self, prefix=""):
        return [p for _, p, _ in self.requests if p.startswith(prefix)]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_owner = None

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self._serve(head=True)

    def do_GET(self):
        self._serve(head=False)

    def _serve(self, head):
        owner = self.server_owner
        headers = {k.lower(): v for k, v in self.headers.items()}
        owner.requests.append((self.command, self.path, headers))
        path = self.path  # a proxied request names the whole URL
        if path.startswith("http://"):
            path = "/" + path.split("/", 3)[3]
        parts = path.lstrip("/").split("/")
        how, name = parts[0], parts[-1]
        argument = None
        if "-" in how:
            how, text = how.split("-", 1)
            argument = int(text)
        data = owner.files.get(name)
        if data is None:
            return self._status(404)
        self.close_connection = True
        try:
            getattr(self, "_do_" + how)(name, data, argument, head)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def _status(self, code, extra=()):
        self.send_response(code)
        for k, v in extra:
            self.send_header(k, v)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def _range(self, data, etag):
        """First byte wanted; 0 without a (valid) range."""
        value = self.headers.get("Range", "")
        if not value.startswith("bytes="):
            return 0
        condition = self.headers.get("If-Range")
        if condition is not None and condition != etag:
            return 0
        return int(value[6:].split("-")[0])

    def _etag(self, data):
        return '"%s"' % hashlib.md5(data).hexdigest()

    def _start(self, data, announce=None, head=False, extra=()):
        """Sends the headers for a possibly ranged answer; the first byte to send."""
        etag = self._etag(data)
        at = self._range(data, etag)
        if at and at >= len(data):
            self._status(416, [("Content-Range", "bytes */%d" % len(data))])
            return None
        self.send_response(206 if at else 200)
        if at:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (at, len(data) - 1, len(data)))
        self.send_header("ETag", etag)
        for k, v in extra:
            self.send_header(k, v)
        length = len(data) - at
        self.send_header("Content-Length", str(length if announce is None else announce(length)))
        self.send_header("Connection", "close")
        self.end_headers()
        return None if head else at

    def _do_ok(self, name, data, argument, head):
        at = self._start(data, head=head)
        if at is not None:
            self.wfile.write(data[at:])

    _do_cdn = _do_ok

    def _do_norange(self, name, data, argument, head):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.server_owner.count(self.path) == 0:
            self.wfile.write(data[: len(data) // 2])
        else:
            self.wfile.write(data)

    def _do_cut(self, name, data, argument, head):
        at = self._start(data)
        if at is not None:
            self.wfile.write(data[at : at + argument])

    def _do_dead(self, name, data, argument, head):
        self._start(data)

    def _do_long(self, name, data, argument, head):
        at = self._start(data, announce=lambda n: n + argument)
        if at is not None:
            self.wfile.write(data[at:])

    def _do_short(self, name, data, argument, head):
        at = self._start(data, announce=lambda n: min(n, argument))
        if at is not None:
            self.wfile.write(data[at : at + argument])

    def _do_more(self, name, data, argument, head):
        at = self._start(data, announce=lambda n: n + 100000)
        if at is not None:
            self.wfile.write(data[at:] + b"x" * 100000)

    def _half(self, data, at):
        self.wfile.write(data[at : at + (len(data) - at) // 2])
        self.wfile.flush()

    def _do_stall(self, name, data, argument, head):
        if self.server_owner.count(self.path) > 0:
            return self._do_ok(name, data, argument, head)
        at = self._start(data)
        self._half(data, at)
        self.server_owner.gate.wait(30)

    def _do_frozen(self, name, data, argument, head):
        self._start(data)
        self.server_owner.gate.wait(30)

    def _do_gate(self, name, data, argument, head):
        at = self._start(data)
        if at is None:
            return
        self._half(data, at)
        self.server_owner.half_sent.set()
        self.server_owner.gate.wait(30)
        self.wfile.write(data[at + (len(data) - at) // 2 :])

    def _do_redirect(self, name, data, argument, head):
        self._status(302, [("Location", "/ok/" + name)])

    def _do_loop(self, name, data, argument, head):
        self._status(302, [("Location", self.path)])

    def _do_code(self, name, data, argument, head):
        self._status(argument)

    def _do_flaky(self, name, data, argument, head):
        if self.server_owner.count(self.path) < 2:
            return self._status(argument, [("Retry-After", "1")])
        self._do_ok(name, data, argument, head)

    def _do_wrong(self, name, data, argument, head):
        self._do_ok(name, bytes(b ^ 0x55 for b in data), argument, head)

    def _do_changed(self, name, data, argument, head):
        if self.server_owner.count(self.path) > 0:
            return self._do_ok(name, data, argument, head)
        other = bytes(b ^ 0x55 for b in data)
        at = self._start(other)
        self._half(other, at)

    def _do_badrange(self, name, data, argument, head):
        n = self.server_owner.count(self.path)
        if n == 0:
            at = self._start(data)
            return self._half(data, at)
        if n == 1:
            self.send_response(206)
            self.send_header("Content-Range", "bytes 3-%d/%d" % (len(data) - 1, len(data)))
            self.send_header("Content-Length", str(len(data) - 3))
            self.end_headers()
            return self.wfile.write(data[3:])
        self._do_ok(name, data, argument, head)

    def _do_hub(self, name, data, argument, head):
        owner = self.server_owner
        if owner.hub_token and self.headers.get("Authorization") != "Bearer " + owner.hub_token:
            return self._status(401)
        small = len(data) < 1000
        etag = (hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() if small
                else hashlib.sha256(data).hexdigest())
        extra = [("X-Repo-Commit", owner.hub_commit)]
        if small:
            self.send_response(200)
            for k, v in extra + [("ETag", '"%s"' % etag), ("Content-Length", str(len(data)))]:
                self.send_header(k, v)
            self.end_headers()
            if not head:
                self.wfile.write(data)
            return
        extra += [("X-Linked-Etag", '"%s"' % etag), ("X-Linked-Size", str(len(data)))]
        # Another host name of the same machine: credentials must not follow.
        port = self.server.server_address[1]
        self._status(302, extra + [("Location", "http://localhost:%d/cdn/%s" % (port, name))])
