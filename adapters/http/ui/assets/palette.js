/**
 * Ctrl-K (or Cmd-K) opens a list of the pages that the navigation leads to. What is typed narrows it. Without this
 * script, the navigation leads to the same pages.
 */
const finder = document.querySelector('button[data-find]');

/** @typedef {{ readonly item: HTMLLIElement, readonly link: HTMLAnchorElement, readonly words: string }} Entry */

/**
 * The links of the navigation, each address once. Those of the area come first, with its name.
 *
 * @returns {Entry[]}
 */
function entries() {
  const known = new Set();
  const links = ['.place', 'header nav a', '#account-menu a'].flatMap((one) => [...document.querySelectorAll(one)]);
  return links.flatMap((one) => {
    if (!(one instanceof HTMLAnchorElement) || known.has(one.href)) return [];
    known.add(one.href);
    const link = document.createElement('a');
    link.href = one.href;
    link.className = 'palette-page';
    const icon = one.querySelector('svg')?.cloneNode(true);
    link.append(...(icon ? [icon] : []), one.textContent ?? '');
    const area = one.closest('.places')?.ariaLabel;
    if (area) {
      const label = document.createElement('span');
      label.className = 'palette-area';
      label.textContent = area;
      link.append(' ', label);
    }
    const item = document.createElement('li');
    item.append(link);
    return [{ item, link, words: (link.textContent ?? '').toLowerCase() }];
  });
}

/** @param {HTMLElement} button */
function paletteOf({ dataset: { find = '', none = '' } }) {
  const dialog = document.createElement('dialog');
  dialog.className = 'palette';
  dialog.ariaLabel = find;
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = find;
  field.ariaLabel = find;
  field.autocomplete = 'off';
  const list = document.createElement('ul');
  list.className = 'palette-list';
  const nothing = document.createElement('p');
  nothing.className = 'faint';
  nothing.role = 'status';
  dialog.append(field, list, nothing);
  const all = entries();
  list.append(...all.map(({ item }) => item));

  const shown = () => all.filter(({ item }) => !item.hidden).map(({ link }) => link);
  const narrow = () => {
    const wanted = field.value.trim().toLowerCase();
    for (const { item, words } of all) item.hidden = !words.includes(wanted);
    nothing.textContent = shown().length === 0 ? none : '';
  };
  field.addEventListener('input', narrow);
  dialog.addEventListener('keydown', (event) => {
    const stops = [field, ...shown()];
    const at = stops.findIndex((one) => one.matches(':focus'));
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      stops[(at + step + stops.length) % stops.length]?.focus();
    } else if (event.key === 'Enter' && document.activeElement === field) {
      event.preventDefault();
      shown()[0]?.click();
    }
  });
  // A click beside the box hits the dialog itself.
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  dialog.addEventListener('close', () => {
    field.value = '';
    narrow();
  });
  document.body.append(dialog);
  return dialog;
}

if (finder instanceof HTMLElement) {
  /** @type {HTMLDialogElement | undefined} */
  let palette;
  const toggle = () => {
    palette ??= paletteOf(finder);
    if (palette.open) palette.close();
    else palette.showModal();
  };
  finder.hidden = false;
  finder.addEventListener('click', toggle);
  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    toggle();
  });
}
