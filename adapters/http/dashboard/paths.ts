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
  '/sandbox',
  '/selling',
  '/setup',
  '/sign-in',
  '/sign-out',
  '/sign-up',
  '/verify-email',
];

/** The pages on which people buy a product and ask about it are here too. The rest of the marketplace is the site's. */
export function ownsDashboard(path: string): boolean {
  return prefixes.some((prefix) => isUnder(path, prefix)) || isFormOfProduct(path);
}

function isFormOfProduct(path: string): boolean {
  const [area, slug, act, ...more] = path.toLowerCase().split('/').filter(Boolean);
  return area === 'marketplace' && slug !== undefined && (act === 'buy' || act === 'ask') && more.length === 0;
}
