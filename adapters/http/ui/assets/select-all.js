/**
 * Shows buttons that check all boxes of a form with one name, or none if all are checked. Says beside the button how many are
 * checked.
 */
for (const button of document.querySelectorAll('button[data-select-all]')) {
  if (!(button instanceof HTMLButtonElement) || button.form === null) continue;
  const selector = `input[type=checkbox][name="${button.dataset.selectAll}"]`;
  /** @type {NodeListOf<HTMLInputElement>} */
  const boxes = button.form.querySelectorAll(selector);
  const total = document.createElement('output');
  const count = () => {
    const checked = [...boxes].filter((box) => box.checked).length;
    total.textContent = checked === 0 ? '' : `${checked} ${button.dataset.selected}`;
  };
  button.hidden = false;
  button.after(total);
  button.addEventListener('click', () => {
    const areAllChecked = [...boxes].every(({ checked }) => checked);
    for (const box of boxes) box.checked = !areAllChecked;
    count();
  });
  button.form.addEventListener('change', count);
  addEventListener('pageshow', count);
  count();
}
