import type { Tag } from '../../route.ts';

export const tag: Tag = {
  name: 'Marketplace',
  description: "The caller's own products and their files.",
};
