// SPDX-License-Identifier: LGPL-2.1-or-later
// Operates a page of glcl-analyze by keys and the mouse, and adds what then holds to the page, as JSON.
(async () => {
  const found = {}, svgs = () => [...document.querySelectorAll('#plots svg')];
  const key = name => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
  const state = () => ({ view: [...view], cursor: cursor_time, shown: cursors.every(line => line.getAttribute('opacity') > 0),
    focus: svgs().indexOf(document.activeElement), readout: readout.textContent });
  svgs()[1].focus();
  for (const name of ['End', 'ArrowLeft', '+', 'Home', '-', '0']) {
    key(name);
    found[name] = state();
  }
  const drag = (type, part) => {
    const svg = svgs()[1], { left, top } = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent(type, { clientX: left + LEFT + part * (WIDTH - LEFT - RIGHT), clientY: top + 20, pointerType: 'mouse', bubbles: true }));
  };
  drag('pointerdown', 0.25), drag('pointermove', 0.5), drag('pointerup', 0.75);
  found.drag = state();
  svgs()[1].dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
  found.whole = state();
  const table = document.querySelector('details.table');
  table.open = true;
  document.querySelectorAll('rect.shot')[1].dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await new Promise(done => setTimeout(done, 500));
  const dialog = document.getElementById('large'), film = dialog.querySelector('video');
  found.rows = table.querySelectorAll('tr').length;
  found.shot = { open: dialog.open, text: dialog.textContent, from: film && film.src.split('#')[1], picture: !!dialog.querySelector('.picture') };
  const result = document.createElement('pre');
  result.id = 'found';
  result.textContent = JSON.stringify(found);
  document.body.append(result);
})();
