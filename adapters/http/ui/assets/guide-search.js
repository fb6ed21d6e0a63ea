/*
 * Finds parts of guides while somebody types. It loads the texts of all guides when the field is first used, and needs
 * nothing more from the server then. Without this script, the form leads to a page with the results.
 */
import MiniSearch from 'minisearch';

const most = 12;

const form = document.querySelector('form.guide-search');
const field = form?.querySelector('input');

/** @param {string} docs The address of the folder of guides. */
async function load(docs) {
  const { settings, parts } = await (await fetch(`${docs}assets/search.json`)).json();
  const index = new MiniSearch(settings);
  index.addAll(parts);
  return index;
}

if (form instanceof HTMLFormElement && field instanceof HTMLInputElement) {
  const { docs = '', none = '' } = form.dataset;
  const list = document.createElement('ul');
  list.className = 'guide-results';
  const status = document.createElement('p');
  status.role = 'status';
  form.after(status, list);
  /** @type {Promise<MiniSearch> | undefined} */
  let index;
  const begin = () => {
    index ??= load(docs);
    index.catch(() => {
      index = undefined; // The next key tries again.
    });
    return index;
  };

  const show = async () => {
    const asked = field.value.trim();
    const found = asked === '' ? [] : (await begin()).search(asked);
    if (asked !== field.value.trim()) return; // Somebody has typed on.
    list.replaceChildren(
      ...found.slice(0, most).map(({ id, title, guide }) => {
        const link = document.createElement('a');
        link.href = docs + id;
        link.textContent = title;
        if (guide !== title) {
          const of = document.createElement('span');
          of.className = 'faint';
          of.textContent = guide;
          link.append(' ', of);
        }
        const item = document.createElement('li');
        item.append(link);
        return item;
      }),
    );
    status.textContent = asked !== '' && found.length === 0 ? none : '';
    form.closest('.columns')?.classList.toggle('searching', asked !== '');
  };

  field.addEventListener('focus', () => begin().catch(() => {}), { once: true });
  // Without the index, the button still leads to the results.
  field.addEventListener('input', () => show().catch(() => {}));
  form.closest('search')?.addEventListener('keydown', (event) => {
    const stops = [field, ...list.querySelectorAll('a')];
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const at = stops.findIndex((one) => one.matches(':focus'));
    if (step === 0 || at === -1) return;
    event.preventDefault();
    stops[(at + step + stops.length) % stops.length]?.focus();
  });
}
