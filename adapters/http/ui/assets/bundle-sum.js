/**
 * Keeps the sum of the prices true while a seller chooses the products of a bundle. Without this, the page has the sum of what was
 * chosen when it was made.
 */
const sumBox = document.querySelector('[data-prices]');
if (sumBox instanceof HTMLElement) followProducts(sumBox);

/** @param {HTMLElement} box */
function followProducts(box) {
  const form = box.closest('form');
  if (form === null) return;
  const prices = new Map(Object.entries(JSON.parse(box.dataset.prices ?? '{}')));
  const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

  const show = () => {
    let cents = 0;
    for (const field of form.querySelectorAll('select[name^="product_"]')) {
      if (field instanceof HTMLSelectElement) cents += Number(prices.get(field.value) ?? 0);
    }
    box.textContent = money.format(cents / 100);
  };
  form.addEventListener('change', show);
  // A page that comes back from the browser's memory has kept what was chosen.
  addEventListener('pageshow', show);
}
