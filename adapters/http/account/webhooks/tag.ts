import type { Tag } from '../../route.ts';

export const tag: Tag = {
  name: 'Webhooks',
  description: 'Your addresses that receive events, and what was sent to them in the last 14 days.',
};
