#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""events.py [-p PORT] [FILE | /dev/video0]: shows the events of a video on a web page

The page http://127.0.0.1:8080/ lists cuts, and objects that begin and stop moving, as they happen
(server-sent events). Other programs read the same lines of JSON from /events:
`curl -N http://127.0.0.1:8080/events`. A new client first gets the last hundred events.
"""
import argparse
import http.server
import json
import threading

import common
from common import Gst

PAGE = '''<!DOCTYPE html><meta charset="utf-8"><title>gst-glcl</title>
<style>body { font: 16px sans-serif; margin: 2em } td { padding: 0 1em } .shot { color: #06c } .motion-begin { color: #090 }</style>
<h1>Events</h1><table id="events"></table>
<script>
new EventSource("/events").onmessage = (message) => {
  const event = JSON.parse(message.data), row = document.getElementById("events").insertRow(0);
  row.className = event.event;
  for (const text of [event.seconds.toFixed(2) + " s", event.event, event.text]) row.insertCell().textContent = text;
};
</script>'''


class Events:
    """The last hundred events, and a condition that signals new ones."""

    def __init__(self):
        self.first, self.lines, self.ended, self.changed = 0, [], False, threading.Condition()

    def add(self, line=None):
        with self.changed:
            if line is None:
                self.ended = True
            else:
                self.lines.append(line)
            while len(self.lines) > 100:
                self.lines.pop(0)
                self.first += 1
            self.changed.notify_all()

    def since(self, number):
        """the lines from this number on, and the number after them

        Waits for a new line. Returns no lines after the end, and one empty line after 15 s without
        an event."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.ended or self.first + len(self.lines) > number, timeout=15):
                return [''], number
            return self.lines[max(number - self.first, 0):], self.first + len(self.lines)


def handler(events):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            kind = {'/': 'text/html; charset=utf-8', '/events': 'text/event-stream'}.get(self.path)
            if not kind:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header('Content-Type', kind)
            self.send_header('Cache-Control', 'no-store')
            self.end_headers()
            try:
                if self.path == '/':
                    self.wfile.write(PAGE.encode())
                    return
                lines, number = events.since(0)
                while lines:
                    for line in lines:  # an empty line becomes a comment: writing it detects closed connections
                        self.wfile.write(f'data: {line}\n\n'.encode() if line else b': \n\n')
                    lines, number = events.since(number)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the page was closed

        def log_message(self, format, *args):  # pylint: disable=redefined-builtin
            pass
    return Handler


def event_text(name, fields):
    """an event as a line of JSON for the page"""
    if name == 'shot':
        text = f'{fields.get_value("kind")}, {fields.get_value("score"):.2f}'
    else:
        text = 'object {}, {} × {} px at ({}, {})'.format(*map(fields.get_value, ('id', 'width', 'height', 'x', 'y')))
    return json.dumps({'event': name, 'seconds': fields.get_value('stream-time') / Gst.SECOND, 'text': text})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('source', nargs='?', help='a file or a camera (default: a test picture of a moving ball)')
    parser.add_argument('-p', '--port', type=int, default=8080, help='0: any free port')
    parser.add_argument('--all', action='store_true',
                        help='accept connections from other machines: everybody who can connect sees the events')
    parser.add_argument('--once', action='store_true', help='exit at the end of the video')
    parser.add_argument('--version', action='version', version=common.version())
    arguments = parser.parse_args()
    events = Events()
    try:
        server = http.server.ThreadingHTTPServer(('' if arguments.all else '127.0.0.1', arguments.port), handler(events))
    except OSError as error:
        parser.error(f'port {arguments.port}: {error.strerror}; choose another with --port')
    server.daemon_threads = not arguments.once
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f'http://127.0.0.1:{server.server_port}/', flush=True)
    pipeline = common.pipeline(arguments.source, 'glclhistogram shot-detection=true post-messages=false ! '
                               'glclmotion detect=true interval=1000000000 ! fakesink sync=true', frames=150)
    for name, fields in common.messages(pipeline):
        if name in ('shot', 'motion-begin', 'motion-end'):
            events.add(event_text(name, fields))
    events.add()
    if not arguments.once:
        print('End of the video; press Ctrl+C to stop the server.', flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass
    server.shutdown()
    server.server_close()


main()
