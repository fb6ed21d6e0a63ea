/** Moves the token of a link from behind the # into the form. Then it is not in the address any more. */
const field = document.querySelector('input[name=token]');

if (field instanceof HTMLInputElement) {
  const token = location.hash.slice(1);
  if (/^[0-9a-f]{64}$/.test(token)) {
    field.value = token;
    history.replaceState(null, '', location.pathname + location.search);
  }
  // Nobody needs to see a field that is filled in and has no fault.
  const around = field.closest('.field');
  if (around instanceof HTMLElement && field.value !== '') around.hidden = !field.hasAttribute('aria-invalid');
}
