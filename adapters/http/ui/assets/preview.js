/** Shows a preview beside each field that has one, while somebody types. Without this script, a button opens it. */
function start() {
  for (const box of document.querySelectorAll('[data-preview-of]')) {
    if (!(box instanceof HTMLElement)) continue;
    const field = document.getElementById(box.dataset.previewOf ?? '');
    if (field instanceof HTMLTextAreaElement) follow(field, box);
  }
}

start();
// `upload.js` has shown the form again.
document.addEventListener('shown', start);

/**
 * @param {HTMLTextAreaElement} field
 * @param {HTMLElement} box
 */
function follow(field, box) {
  let shown = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const refresh = async () => {
    const text = field.value;
    if (text === shown) return;
    const rendered = text.trim() === '' ? null : await render(box.dataset.address ?? '', text);
    if (text.trim() !== '' && rendered === null) return;
    shown = text;
    box.replaceChildren(...(rendered === null ? [] : [document.adoptNode(rendered)]));
    box.hidden = rendered === null;
    if (field.value !== text) timer = setTimeout(refresh, 600);
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, 600);
  });
  document.querySelector('.if-no-script')?.setAttribute('hidden', '');
  refresh();
}

/**
 * Returns the preview that the server renders, or `null` if it cannot. Pages may not turn text into HTML, so the browser
 * parses the answer as a document.
 * @param {string} address
 * @param {string} text
 * @returns {Promise<Element | null>}
 */
function render(address, text) {
  const body = new FormData();
  body.set('description', text);
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    request.responseType = 'document';
    request.onload = () => resolve(request.status === 200 ? request.response.querySelector('.description') : null);
    request.onerror = () => resolve(null);
    request.send(body);
  });
}
