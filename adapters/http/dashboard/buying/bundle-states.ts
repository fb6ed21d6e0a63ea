/** The states of an order of a bundle: those that read in another way, because it has several licenses. */
export const bundleStates = {
  open: 'You get a license key for each product as soon as you have paid.',
  processing:
    'Your bank is sending the money, which can take some days. Your license keys appear on this page when it has arrived. You can close the page and come back.',
  soft: 'Your payment has arrived, and your license keys work already. The order is paid when the chain cannot take the payment back any more, which takes some minutes.',
  waitsForTransfer:
    'Your license keys appear on this page when your payment has arrived and is recorded. Keep the address of this page.',
  waits: 'We wait for the answer of the bank. This page shows your license keys as soon as they are there.',
} as const;
