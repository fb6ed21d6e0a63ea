/**
 * Shows the box in the head of a table that checks all boxes of its form with one name, or none. The form says how many are checked.
 */
for (const all of document.querySelectorAll('input[data-select-all]')) {
  if (!(all instanceof HTMLInputElement) || all.form === null) continue;
  const { form } = all;
  /** @type {NodeListOf<HTMLInputElement>} */
  const boxes = form.querySelectorAll(`input[type=checkbox][name="${all.dataset.selectAll}"]`);
  const total = form.querySelector('output[data-selected]');
  const count = () => {
    const checked = [...boxes].filter((box) => box.checked).length;
    all.checked = checked === boxes.length;
    all.indeterminate = checked > 0 && checked < boxes.length;
    if (total instanceof HTMLOutputElement)
      total.textContent = checked === 0 ? '' : `${checked} ${total.dataset.selected}`;
  };
  all.hidden = false;
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
  });
  form.addEventListener('change', count);
  addEventListener('pageshow', count);
  count();
}
