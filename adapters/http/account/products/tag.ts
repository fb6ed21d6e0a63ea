import type { Tag } from '../../route.ts';

export const tag: Tag = {
  name: 'Products',
  description: "The caller's own products, or all products for administrators: those of the mode of the API key.",
};
