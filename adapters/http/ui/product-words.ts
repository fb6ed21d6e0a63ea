import type { Duration, DurationStart, ProductTerms } from '../../../core/marketplace/product-terms.ts';
import { counted, readableNumber } from './numbers.ts';

const starts = {
  issue: 'from the day it is issued',
  first_activation: 'from its first activation',
} as const satisfies Record<DurationStart, string>;

/** The texts of a product's page. */
export const product = {
  starts,
  version: 'Version',
  preview: (status: string) => `This is a preview. The product is ${status} and not public.`,
  details: 'Details',
  type: 'Type',
  category: 'Category',
  blockchains: 'Blockchains',
  tags: 'Tags',
  support: 'Support',
  isSupported: 'The seller provides support.',
  isNotSupported: 'The seller does not provide support.',
  refund: {
    revoke: 'After a full refund, the license stops working',
    keep: 'After a full refund, the license still works',
  } satisfies Record<ProductTerms['onRefund'], string>,
  bundle: {
    title: (count: number) => `What is inside: ${counted(count, 'product')}`,
    each: 'Each product has a license key of its own.',
    unavailable: 'One of its products cannot be sold at the moment.',
    saved: (alone: string, saved: string) => `Bought one by one: ${alone}. You save ${saved}.`,
  },
  updated: 'Updated',
  oncePaid: (lasts: string) => `${lasts}, with one payment`,
  files: 'All files, and those of later versions',
  template: 'The project template',
  moves: (most: number) => `Move domains up to ${most === 1 ? 'once' : `${readableNumber(most)} times`} a month`,
  noMoves: 'Domains cannot be moved',
  localHosts: 'Sites on your own machine, such as localhost, do not count',
  previews: 'Preview deployments do not count',
  www: 'A site with and without www is one domain',
  durationOf: (duration: Duration) =>
    duration === null ? 'For ever' : `${counted(duration.days, 'day')} ${starts[duration.from]}`,
} as const;
