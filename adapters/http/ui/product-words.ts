import type { Duration, DurationStart, ProductTerms } from '../../../core/marketplace/product-terms.ts';
import { counted } from './numbers.ts';

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
  updated: 'Updated',
  durationOf: (duration: Duration) =>
    duration === null ? 'For ever' : `${counted(duration.days, 'day')} ${starts[duration.from]}`,
} as const;
