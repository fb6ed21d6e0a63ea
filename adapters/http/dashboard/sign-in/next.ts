import type { Visit } from '../visit.ts';

const base = 'http://site.invalid';

/** Returns the path that the visitor came for, from the first page of the site. Never one of another site. */
export function nextOf({ query: { next = '' } }: Visit): string {
  if (!next.startsWith('/') || !URL.canParse(next, base)) return 'account';
  const url = new URL(next, base);
  // A path such as `/.//evil.example` becomes `//evil.example`, which browsers would take for another site.
  return url.origin === base && /^\/[^/]/.test(url.pathname) ? `${url.pathname}${url.search}`.slice(1) : 'account';
}
