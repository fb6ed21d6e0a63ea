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

/** @param {HTMLElement} source */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(isField(source) ? source.value : source.innerText);
    return true;
  } catch {
    if (isField(source)) source.select();
    else getSelection()?.selectAllChildren(source);
    return document.execCommand('copy');
  }
}
