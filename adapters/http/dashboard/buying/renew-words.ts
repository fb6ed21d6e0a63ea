/** The words for paying for a license that was bought before. */
export const renewWords = {
  title: 'Renew or upgrade',
  lead: 'Your license key and its domains stay as they are.',
  titles: {
    renewal: (offer: string) => `Renew your license: ${offer}`,
    upgrade: (offer: string) => `Change your license: ${offer}`,
  },
  leads: {
    renewal: 'Your license gets more time as soon as this is paid. Its key and its domains stay as they are.',
    upgrade: 'Your license changes as soon as this is paid. Its key and its domains stay as they are.',
  },
  buttons: {
    renewal: (price: string) => `Renew for ${price}`,
    upgrade: (price: string) => `Change for ${price}`,
  },
  credited: (full: string, credit: string) => `${full}, less ${credit} for what you have not used yet.`,
  chosen: 'You choose what you pay. This is the suggested price.',
  bothUntil: 'Valid, with updates, until',
  validUntil: 'Valid until',
  updatesUntil: 'Updates until',
  forEver: 'For ever',
  domains: 'Domains',
  includes: 'Includes',
  noWay: 'This cannot be paid for at the moment. You paid nothing.',
  gone: 'Your license cannot be changed in this way any more. You paid nothing.',
  license: 'Your license',
  licenseLead:
    'This order changes a license that you bought before. Its key, its domains and its files are on the page of that order.',
  seeLicense: 'See your license',
  paymentLead:
    'This is a payment of your subscription. Your key, your domains and your files are on the page of its first order.',
  seeSubscription: 'See your subscription',
} as const;

/** The states of a later payment of a subscription. */
export const cycleStates = {
  open: 'Your subscription goes on as soon as you have paid.',
  processing:
    'Your bank is sending the money, which can take some days. Your subscription goes on when it has arrived. You can close the page and come back.',
  paid: 'Thank you! Your subscription goes on.',
  waitsForTransfer:
    'Your subscription goes on when your payment has arrived and is recorded. Keep the address of this page.',
} as const;

/** The states of an order that changes a license: those that read in another way. */
export const renewStates = {
  open: 'Your license changes as soon as you have paid.',
  processing:
    'Your bank is sending the money, which can take some days. Your license changes when it has arrived. You can close the page and come back.',
  paid: 'Thank you! Your license has changed.',
  waitsForTransfer:
    'Your license changes when your payment has arrived and is recorded. Keep the address of this page.',
  waits: 'We wait for the answer of the bank. This page shows it as soon as it is there.',
  /** What the payment does to the license, while the order is not plain `paid`. */
  works: 'Your license has what you paid for.',
  suspended: 'Your license does not work until this is settled.',
  revoked: 'What you paid for was taken off your license.',
} as const;
