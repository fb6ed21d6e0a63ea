import type { Tag } from '../../route.ts';

export const tag: Tag = {
  name: 'Orders',
  description: 'What buyers ordered of your products, how they paid, and refunds.',
};
