const made = document.getElementById('copy-button');
if (made instanceof HTMLTemplateElement) {
  for (const code of document.querySelectorAll('.copied code')) {
    const button = made.content.firstElementChild?.cloneNode(true);
    if (!(button instanceof HTMLButtonElement)) continue;
    button.setAttribute('aria-controls', code.id);
    button.setAttribute('aria-describedby', code.id);
    code.closest('.copied')?.append(button);
  }
}

/** Shows buttons that copy a field or a text. They work also without https, where pages have no clipboard. */
for (const button of document.querySelectorAll('button[data-copied]')) {
  const source = document.getElementById(button.getAttribute('aria-controls') ?? '');
  if (source === null || !(button instanceof HTMLButtonElement)) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    if (await copy(source)) button.textContent = button.dataset.copied ?? '';
  });
}

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement | HTMLTextAreaElement}
 */
function isField(element) {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

/**
 * A text to paste. Of a shortened one, the whole. Of a terminal, where commands begin with a dollar sign, only the commands.
 *
 * @param {HTMLElement} source
 */
function textOf(source) {
  if (isField(source)) return source.value;
  if (source.dataset.whole !== undefined) return source.dataset.whole;
  const text = source.innerText;
  if (!text.startsWith('$ ')) return text;
  let goesOn = false;
  const commands = text.split('\n').filter((line) => {
    const isCommand = goesOn || line.startsWith('$ ');
    goesOn = isCommand && line.endsWith('\\');
    return isCommand;
  });
  return commands.map((line) => line.replace(/^\$ /, '')).join('\n');
}

/** @param {HTMLElement} source */
async function copy(source) {
  const text = textOf(source);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (isField(source)) source.select();
    else getSelection()?.selectAllChildren(source);
    const write = (/** @type {ClipboardEvent} */ event) => {
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    };
    document.addEventListener('copy', write);
    try {
      return document.execCommand('copy');
    } finally {
      // Also if nothing was copied: what somebody copies next is theirs.
      document.removeEventListener('copy', write);
    }
  }
}
