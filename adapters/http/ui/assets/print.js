/** Shows buttons that print the page. Without this script, everybody has the menu of their browser. */
for (const button of document.querySelectorAll('button[data-print]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  button.hidden = false;
  button.addEventListener('click', () => print());
}
