import type { OfferKind } from '../../../../core/marketplace/offers.ts';

/** The texts of the offers of a product. */
export const offerWords = {
  title: 'Offers',
  lead: 'Buyers choose one of the listed offers, in this order. Each has a link that leads straight to it.',
  none: 'The product is sold at its own price and terms. Add offers to sell it at several prices.',
  add: 'Add an offer',
  addLead: 'The license of a buyer gets the terms of the offer.',
  submit: 'Add offer',
  edit: 'Edit',
  editTitle: (name: string) => `Edit the offer ${name}`,
  save: 'Save',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove the offer ${name}?`,
  removeLead:
    'Nobody can buy it any more, also not by its link. Orders and licenses keep what was agreed. To keep it for those with its link, edit it and do not list it.',
  kind: 'What it sells',
  noKind: 'Choose what the offer sells.',
  kinds: {
    once: 'A license',
    subscription: 'A subscription',
    trial: 'A trial',
    renewal: 'A renewal',
    upgrade: 'An upgrade',
  } satisfies Record<OfferKind, string>,
  kindHints: {
    once: 'Paid once.',
    subscription: 'A license that is paid again for each interval, until its buyer cancels.',
    trial:
      'A free license for some days. Its price is 0. Buyers can then buy one of your offers, and keep key and domains.',
    renewal: 'More time, or more months of updates, for a license that was sold before.',
    upgrade:
      'New terms for a license that was sold before. What its buyer has not used of the old ones is taken off the price.',
  } satisfies Record<OfferKind, string>,
  interval: 'Paid every',
  intervals: { 1: 'Month', 3: '3 months', 6: '6 months', 12: 'Year', 24: '2 years', 36: '3 years' } as Readonly<
    Record<number, string>
  >,
  otherInterval: (months: number) => `${months} months`,
  grace: 'Days of grace',
  graceHint: 'So long a license still works if the next payment is late. The usual number is 7.',
  perpetual: 'For ever after',
  perpetualHint:
    'After so many paid months, the license never expires, but gets new releases only while it is paid. Empty: it always expires without payments.',
  from: 'For licenses of the offer',
  fromHint: 'Only for a renewal or an upgrade.',
  fromAny: 'Any',
  onOrders: 'Buyers find it on the page of their order.',
  name: 'Name',
  nameHint: 'What buyers choose, such as Team.',
  noName: 'Enter a name.',
  updates: 'Months of updates',
  updatesHint: 'How long a license gets new releases. Empty: as long as it is valid.',
  entitlements: 'Entitlements',
  entitlementsHint: (most: number) =>
    `Up to ${most} codes that your software asks for, with blanks between them, such as: pro team. Buyers see them.`,
  listed: 'Who can buy it',
  isListed: 'Everybody: the page of the product shows it. Otherwise only people with its link.',
  position: 'Place in the list',
  positionHint: 'Counted from 1. Empty: where it is, or at the end.',
  preview: 'See what buyers read',
  previewTitle: 'What buyers read',
  notListed: 'Not listed',
  tooMany: 'The product has the largest number of offers. Remove one first.',
} as const;
