/**
 * Sends forms with files, and shows how much has arrived. After a refusal the chosen files stay. Without this script, the
 * browser sends the form.
 */
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.dataset.upload === undefined) return;
  if (submitter?.hasAttribute('formaction')) return;
  event.preventDefault();
  const large = tooLarge(form);
  if (large === undefined) send(form, submitter);
  else say(form, large);
});

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button the one that was pressed; it can have its own message for files that have arrived
 */
function send(form, button) {
  const arrived = button?.dataset.arrived ?? form.dataset.arrived;
  const progress = barOf(form);
  /** @type {Element[]} */
  const leave = [progress];
  const request = new XMLHttpRequest();
  request.open('POST', form.action);
  request.setRequestHeader('Form-By-Script', 'yes');
  request.responseType = 'document';
  request.upload.onprogress = ({ loaded, total }) => {
    progress.max = total;
    progress.value = loaded;
    // The server still checks the files.
    if (loaded === total) progress.removeAttribute('value');
    if (loaded === total && arrived !== undefined) {
      const note = document.createElement('p');
      note.className = 'hint';
      note.setAttribute('role', 'status');
      note.textContent = arrived;
      progress.after(note);
      leave.push(note);
    }
  };
  const fail = (/** @type {string} */ text) => {
    for (const one of leave) one.remove();
    say(form, text);
  };
  request.onload = () => {
    const address = request.getResponseHeader('Go-To');
    const content = request.response?.querySelector('main');
    if (address !== null) location.assign(address);
    else if (content?.querySelector('form[data-upload]')) showAgain(form, content);
    else fail(content?.querySelector('p')?.textContent || (form.dataset.failed ?? ''));
  };
  request.onerror = () => fail(form.dataset.failed ?? '');
  request.send(new FormData(form, button));
}

/**
 * Shows why the form was not sent.
 * @param {HTMLFormElement} form
 * @param {string} text
 */
function say(form, text) {
  form.querySelector('.faults')?.remove();
  const note = document.createElement('p');
  note.className = 'faults';
  note.setAttribute('role', 'alert');
  note.textContent = text;
  form.prepend(note);
  form.dispatchEvent(new Event('sendagain', { bubbles: true }));
  note.scrollIntoView({ block: 'center' });
}

/**
 * What is wrong with a file that is larger than its field accepts.
 * @param {HTMLFormElement} form
 */
function tooLarge(form) {
  for (const field of form.querySelectorAll('input[data-most]')) {
    if (!(field instanceof HTMLInputElement)) continue;
    const size = field.files?.[0]?.size ?? 0;
    if (size > Number(field.dataset.most)) return field.dataset.tooLarge;
  }
  return undefined;
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
    if (empty.hasAttribute('data-must-change')) continue;
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
