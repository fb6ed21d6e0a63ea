/** Shows buttons that check all boxes of a form with one name, or none if all are checked. */
for (const button of document.querySelectorAll('button[data-select-all]')) {
  if (!(button instanceof HTMLButtonElement) || button.form === null) continue;
  const selector = `input[type=checkbox][name="${button.dataset.selectAll}"]`;
  /** @type {NodeListOf<HTMLInputElement>} */
  const boxes = button.form.querySelectorAll(selector);
  button.hidden = false;
  button.addEventListener('click', () => {
    const areAllChecked = [...boxes].every(({ checked }) => checked);
    for (const box of boxes) box.checked = !areAllChecked;
  });
}
