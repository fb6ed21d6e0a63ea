/**
 * Sends forms with files, and shows how much has arrived. After a refusal the chosen files stay. Without this script, the
 * browser sends the form.
 */
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.dataset.upload === undefined) return;
  if (submitter?.hasAttribute('formaction')) return;
  event.preventDefault();
  send(form);
});

/** @param {HTMLFormElement} form */
function send(form) {
  const progress = barOf(form);
  const request = new XMLHttpRequest();
  request.open('POST', form.action);
  request.setRequestHeader('Form-By-Script', 'yes');
  request.responseType = 'document';
  request.upload.onprogress = ({ loaded, total }) => {
    progress.max = total;
    progress.value = loaded;
    // The server still checks the files.
    if (loaded === total) progress.removeAttribute('value');
  };
  const fail = (/** @type {string} */ text) => {
    progress.remove();
    form.querySelector('.faults')?.remove();
    const note = document.createElement('p');
    note.className = 'faults';
    note.setAttribute('role', 'alert');
    note.textContent = text;
    form.prepend(note);
    form.dispatchEvent(new Event('sendagain', { bubbles: true }));
    note.scrollIntoView({ block: 'center' });
  };
  request.onload = () => {
    const address = request.getResponseHeader('Go-To');
    const content = request.response?.querySelector('main');
    if (address !== null) location.assign(address);
    else if (content?.querySelector('form[data-upload]')) showAgain(form, content);
    else fail(content?.querySelector('p')?.textContent || (form.dataset.failed ?? ''));
  };
  request.onerror = () => fail(form.dataset.failed ?? '');
  request.send(new FormData(form));
}

/** @param {HTMLFormElement} form */
function barOf(form) {
  const progress = document.createElement('progress');
  progress.setAttribute('aria-label', form.dataset.upload ?? '');
  progress.max = 1;
  progress.value = 0;
  form.querySelector('.submit')?.before(progress);
  return progress;
}

/**
 * Shows the page that the server returned, with the files that were chosen.
 * @param {HTMLFormElement} form
 * @param {Element} content
 */
function showAgain(form, content) {
  const shown = document.adoptNode(content);
  for (const chosen of form.querySelectorAll('input[type=file]')) {
    const empty = shown.querySelector(`input[type=file][name="${chosen.getAttribute('name')}"]`);
    if (!(chosen instanceof HTMLInputElement) || !chosen.files?.length || !empty) continue;
    for (const name of ['aria-invalid', 'aria-describedby']) {
      const value = empty.getAttribute(name);
      if (value === null) chosen.removeAttribute(name);
      else chosen.setAttribute(name, value);
    }
    empty.replaceWith(chosen);
  }
  document.querySelector('main')?.replaceWith(shown);
  document.dispatchEvent(new Event('shown'));
  scrollTo(0, 0);
}
