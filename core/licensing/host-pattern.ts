import type { IsPublicSuffix } from '../ports/public-suffix.ts';
import { type Refused, refuse } from '../refusal.ts';
import { normalizeDomain } from './domain-name.ts';

declare const brand: unique symbol;
/** A host, or a pattern such as `*.vercel.app` or `staging.*`, in canonical form. `*` stands for one or more labels. */
export type HostPattern = string & { readonly [brand]: 'HostPattern' };

/** The message for a text that is no pattern. */
const patternHint = 'Write a host, *.example.com or staging.*: the * stands for whole labels, at one end.';

/** Characters that an address may contain, but not the fixed part of a pattern. */
const notInHost = /[\s/\\:@?#%*[\]]/;
const ipv4 = /^[\d.]+$/;

/**
 * Returns the canonical pattern. Refuses patterns for all hosts below a public suffix, such as `*.com` and `*.co.uk`,
 * and a public suffix itself.
 */
export function parseHostPattern(
  text: string,
  isPublicSuffix: IsPublicSuffix,
): HostPattern | Refused<'invalid_pattern' | 'pattern_too_wide'> {
  const given = text.trim();
  const isAtStart = given.startsWith('*.');
  const isAtEnd = given.endsWith('.*');
  const fixed = given.slice(isAtStart ? 2 : 0, isAtEnd ? -2 : undefined);
  const isPattern = isAtStart || isAtEnd;
  const host = isPattern && notInHost.test(fixed) ? undefined : normalizeDomain(fixed);
  if (host === undefined || (isAtStart && isAtEnd) || (isPattern && ipv4.test(host)))
    return refuse('invalid_pattern', patternHint);
  // Below some names, such as kawasaki.jp, every name is a public suffix.
  if (!isAtEnd && (isPublicSuffix(host) || (isAtStart && isPublicSuffix(`www.${host}`))))
    return refuse('pattern_too_wide', `Anybody can register a domain below ${host}. Name one of your own.`);
  return `${isAtStart ? '*.' : ''}${host}${isAtEnd ? '.*' : ''}` as HostPattern;
}

/** Whether a canonical pattern stands for a canonical host. Compares whole labels. */
export function matches(pattern: string, host: string): boolean {
  if (pattern.startsWith('*.')) return host.length >= pattern.length && host.endsWith(pattern.slice(1));
  if (pattern.endsWith('.*')) return host.length >= pattern.length && host.startsWith(pattern.slice(0, -1));
  return pattern === host;
}
