import { bundleLimits } from '../../../../core/marketplace/bundle.ts';
import { counted } from '../../ui/numbers.ts';

/** The texts of the pages for sellers about bundles. */
export const bundleWords = {
  add: 'New bundle',
  newTitle: 'New bundle',
  newLead: 'A bundle sells some of your products together, at one price. Each buyer gets a license for each of them.',
  title: 'Products in the bundle',
  formLead: `Choose ${bundleLimits.least} to ${bundleLimits.most} products, in the order in which buyers see them. To move one, change its place. Empty rows are left out.`,
  editLead: 'Later orders get what you change here.',
  editTitle: 'Change the bundle',
  row: (number: number) => `Product ${number}`,
  place: 'Place',
  nothing: 'None',
  more: 'More products',
  /** The marks keep the price readable after a title that runs from right to left. */
  choice: (title: string, price: string) => `\u2068${title}\u2069 (${price})`,
  lost: (value: string) => `Cannot be sold any more (${value})`,
  onlyNewest: (most: number) => `You can choose from your ${most} newest products. The API takes all of them.`,
  contains: (count: number) => `${counted(count, 'product')}. Buyers get a license for each of them.`,
  inShort: (count: number) => `Bundle of ${counted(count, 'product')}`,
  product: 'Product',
  terms: 'Terms',
  ownPrice: 'Own price',
  notAlone: 'Not sold alone at this price',
  gone: (id: number) => `Product ${id}`,
  unavailable: 'Nobody can buy the bundle until all of its products can be sold.',
  together: 'Own prices together:',
  price: (price: string) => `Price of the bundle: ${price}.`,
  saving: (saved: string) => `Buyers read that they save ${saved}.`,
  noSaving: 'Buyers read nothing about a saving.',
  none: 'This product has no files. It can contain other products.',
  make: 'Make it a bundle',
  edit: 'Change the bundle',
} as const;
