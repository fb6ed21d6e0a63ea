/**
 * Shows the amount that a buyer types on the button and as the total. Without this, or with an amount that it cannot read, the
 * next page shows the price before anybody pays it.
 */
const chosenBox = document.querySelector('[data-chosen]');
if (chosenBox instanceof HTMLElement) followAmount(chosenBox);

/** @param {HTMLElement} box */
function followAmount(box) {
  const field = box.querySelector('input[name="amount"]');
  const seen = box.querySelector('input[name="seen_amount"]');
  const button = box.closest('form')?.querySelector('button[type="submit"]');
  const total = document.querySelector('.total .price');
  if (!(field instanceof HTMLInputElement && seen instanceof HTMLInputElement && button && total)) return;
  const { currency = 'USD', digits = '2', least = '0', chosen = '' } = box.dataset;
  const decimals = Number(digits);
  const money = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const before = { button: button.textContent ?? '', total: total.textContent, seen: seen.value };
  const readable = new RegExp(`^\\d{1,7}${decimals === 0 ? '' : `(?:[.,]\\d{1,${decimals}})?`}$`);

  const show = () => {
    const text = field.value.trim();
    const amount = readable.test(text) ? Number(text.replace(',', '.')) : 0;
    const isShown = amount > 0 && Math.round(amount * 10 ** decimals) >= Number(least);
    const price = money.format(amount);
    button.textContent = isShown ? before.button.replace(chosen, () => price) : before.button;
    total.textContent = isShown ? price : before.total;
    seen.value = isShown ? amount.toFixed(decimals) : before.seen;
  };
  field.addEventListener('input', show);
  // A page that comes back from the browser's memory has kept what was typed.
  addEventListener('pageshow', show);
}
