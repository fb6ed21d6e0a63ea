import type { Tag } from '../../route.ts';

export const tag: Tag = {
  name: 'Licenses',
  description:
    "The licenses of the caller's own products; those of all products for administrators. A live key works with licenses of live products, a test key with those of test products. All others are not found.",
};
