#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""browser.py [--pictures FOLDER] ROOT: builds the manual's website and opens its pages in headless Chromium

No page may be wider than the screen of a phone or a desktop computer. None may report an error on the console, or
load from another host. The search has to find words of users. --pictures writes a picture of each main page instead."""
import functools
import http.server
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

WIDTHS = [390, 1440]
WORDS = ['stabilise', 'waveform', 'denoise', 'skin', 'webcam', 'RTSP', 'sound', 'NV12']
PICTURED = ['index.html', 'docs/gallery.html', 'docs/howto.html', 'docs/glclmotion.html', 'docs/tutorial.html']
# It opens each page in a frame of each width, then searches, and sends what it found.
SCRIPT = '''<!doctype html><iframe id=frame style="border:0;height:800px"></iframe><script>
const frame = document.getElementById('frame'), faults = [];
let at = 'start';
const wait = ms => new Promise(done => setTimeout(done, ms));
const listen = page => {
  page.addEventListener('error', event => faults.push(`${at}: ${event.message || 'cannot load ' + event.target.src}`), true);
  page.addEventListener('unhandledrejection', event => faults.push(`${at}: ${event.reason}`));
  page.console.error = (...words) => faults.push(`${at}: ${words.join(' ')}`);
};
const open = async (path, width) => {
  at = `${path} at ${width} px`;
  frame.style.width = width + 'px';
  const loaded = new Promise(done => { frame.onload = done; });
  frame.src = path;
  while (!frame.contentWindow || frame.contentWindow.location.href === 'about:blank') await wait(1);
  listen(frame.contentWindow);
  await loaded;
  listen(frame.contentWindow);
};
const run = async (paths, widths, words) => {
  for (const path of paths)
    for (const width of widths) {
      await open(path, width);
      const wide = frame.contentDocument.documentElement.scrollWidth;
      if (wide > width) faults.push(`${at}: it is ${wide} px wide`);
      for (const each of frame.contentWindow.performance.getEntriesByType('resource'))
        if (new URL(each.name).origin !== location.origin && !each.name.startsWith('data:')) faults.push(`${at}: loads ${each.name}`);
    }
  await open('index.html', 1440);
  const input = frame.contentDocument.querySelector('.md-search__input');
  for (const word of words) {
    at = `search for ${word}`;
    input.focus();
    input.value = word;
    input.dispatchEvent(new frame.contentWindow.Event('keyup', {bubbles: true}));
    input.dispatchEvent(new frame.contentWindow.Event('input', {bubbles: true}));
    let found = false;
    for (let n = 0; n < 100 && !found; n++) {
      await wait(50);
      const results = [...frame.contentDocument.querySelectorAll('.md-search-result__item a')].slice(0, 3);
      for (const result of results)
        found = found || (await (await fetch(result.href)).text()).toLowerCase().includes(word.toLowerCase());
    }
    if (!found) faults.push(`${at}: finds nothing`);
  }
};
run(...LIST).catch(error => faults.push(`${at}: ${error}`))
  .finally(() => fetch('/faults', {method: 'POST', body: JSON.stringify(faults)}));
</script>'''


class Handler(http.server.SimpleHTTPRequestHandler):
    """serves the site and the script, and takes the faults"""

    def __init__(self, *args, script, faults, **options):
        self.script, self.faults = script, faults
        super().__init__(*args, **options)

    def do_GET(self):
        if self.path != '/test':
            super().do_GET()
            return
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.end_headers()
        self.wfile.write(self.script.encode())

    def do_POST(self):
        self.faults.put(json.loads(self.rfile.read(int(self.headers['Content-Length']))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def browser(profile, *options):
    """the command that starts Chromium"""
    sandbox = ['--no-sandbox'] if os.geteuid() == 0 else []
    return ['chromium', '--headless', '--disable-gpu', '--no-first-run', f'--user-data-dir={profile}', *sandbox, *options]


def find_faults(address, faults, profile):
    """what the script in the browser reports"""
    with subprocess.Popen(browser(profile, '--remote-debugging-port=0', address + '/test'), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        for _ in range(400):
            try:
                found = faults.get(timeout=1)
                process.terminate()
                return found
            except queue.Empty:
                if process.poll() is not None:
                    return ['chromium fails']
        process.terminate()
        return ['the pages do not end loading']


def write_pictures(address, folder, profile):
    for path in PICTURED:
        for width in WIDTHS:
            picture = folder / f'{path.split("/")[-1][:-5]}-{width}.png'
            subprocess.run(browser(profile, f'--window-size={width},1800', f'--screenshot={picture}', f'{address}/{path}'),
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


def open_pages(site, pictures):
    """the exit status: 1 if a page has a fault"""
    paths = [str(path.relative_to(site)) for path in sorted(site.rglob('*.html')) if path.name != '404.html']
    faults = queue.Queue()
    script = SCRIPT.replace('LIST', json.dumps([paths, WIDTHS, WORDS]))
    handler = functools.partial(Handler, directory=str(site), script=script, faults=faults)
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f'http://127.0.0.1:{server.server_port}'
        if pictures:
            write_pictures(address, pictures, profile)
            return 0
        found = find_faults(address, faults, profile)
        server.shutdown()
    print('\n'.join(found) or f'{len(paths)} pages')
    return int(bool(found))


def main():
    pictures = None
    if sys.argv[1] == '--pictures':
        pictures = pathlib.Path(sys.argv[2])
        del sys.argv[1:3]
    if not shutil.which('chromium'):
        print('SKIP: chromium is not installed')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as site:
        built = subprocess.run([pathlib.Path(sys.argv[1]) / 'docs/site.sh', site], check=False)
        sys.exit(built.returncode or open_pages(pathlib.Path(site), pictures))


if __name__ == '__main__':
    main()
