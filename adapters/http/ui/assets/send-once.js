/** Sends a form once, also after a double click. A page that comes back from the browser's memory can send again. */
/** @type {WeakSet<EventTarget>} */
let sent = new WeakSet();

document.addEventListener('submit', (event) => {
  // A preview in another window sends nothing.
  if (event.target === null || event.submitter?.hasAttribute('formtarget')) return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
// The form was not sent, because the connection was lost.
document.addEventListener('sendagain', ({ target }) => {
  if (target !== null) sent.delete(target);
});
addEventListener('pageshow', () => {
  sent = new WeakSet();
});
