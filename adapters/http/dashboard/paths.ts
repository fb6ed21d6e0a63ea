import { isUnder } from '../surface.ts';

const prefixes = [
  '/account',
  '/admin',
  '/change-email',
  '/device',
  '/forgot-password',
  '/invitation',
  '/orders',
  '/reset-password',
  '/selling',
  '/setup',
  '/sign-in',
  '/sign-out',
  '/sign-up',
  '/verify-email',
];

/** The page on which people buy a product is here too. The rest of the marketplace is the site's. */
export function ownsDashboard(path: string): boolean {
  return prefixes.some((prefix) => isUnder(path, prefix)) || isBuyPath(path);
}

function isBuyPath(path: string): boolean {
  const [area, slug, act, ...more] = path.toLowerCase().split('/').filter(Boolean);
  return area === 'marketplace' && slug !== undefined && act === 'buy' && more.length === 0;
}
