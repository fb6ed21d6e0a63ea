/**
 * Keeps the sum on the button and in the total true while somebody types an amount or a coupon, or chooses a currency. Where the
 * sum is not known, the button says that the next page shows it. Without this, the next page shows the sum before anybody pays it.
 */
const sumMarks = document.querySelector('[data-sum]');
if (sumMarks instanceof HTMLElement) followSum(sumMarks);

/** @param {HTMLElement} marks */
function followSum(marks) {
  const form = marks.closest('form');
  const button = form?.querySelector('.submit > button');
  const total = document.querySelector('.total > .price');
  if (!(form && button && total)) return;
  const { sum = '', update = '', pattern, currency = 'USD', digits = '2', least = '0' } = marks.dataset;
  const decimals = Number(digits);
  const money = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const readable = new RegExp(`^\\d{1,7}${decimals === 0 ? '' : `(?:[.,]\\d{1,${decimals}})?`}$`);

  /** @param {string} name */
  const fieldOf = (name) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field : undefined;
  };
  const seenAmount = fieldOf('seen_amount');
  const before = { total: total.textContent, amount: seenAmount?.value ?? '' };
  /** @param {string} name */
  const isOther = (name) => {
    const field = fieldOf(name);
    const seen = name === 'amount' ? before.amount : fieldOf(`seen_${name}`)?.value;
    return field !== undefined && field.value.trim() !== seen;
  };

  const show = () => {
    const text = fieldOf('amount')?.value.trim() ?? '';
    const amount = readable.test(text) ? Number(text.replace(',', '.')) : 0;
    const isPossible = amount > 0 && Math.round(amount * 10 ** decimals) >= Number(least);
    const isTyped = isOther('amount');
    let seen = before.amount;
    if (isOther('coupon') || isOther('currency') || (isTyped && !(isPossible && pattern))) {
      button.textContent = update;
      total.textContent = '…';
    } else if (isTyped && pattern) {
      const price = money.format(amount);
      button.textContent = pattern.replace('{sum}', () => price);
      total.textContent = price;
      seen = amount.toFixed(decimals);
    } else {
      button.textContent = sum;
      total.textContent = before.total;
    }
    if (seenAmount) seenAmount.value = seen;
  };
  form.addEventListener('input', show);
  show();
  // A page that comes back from the browser's memory has kept what was typed.
  addEventListener('pageshow', show);
}
