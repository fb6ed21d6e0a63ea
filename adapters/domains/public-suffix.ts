import { getDomain, getPublicSuffix } from 'tldts';
import type { IsPublicSuffix, RegistrableDomain } from '../../core/ports/public-suffix.ts';

/**
 * By the ICANN section of the public suffix list. A single label counts as a public suffix, because it may become one.
 */
export const isPublicSuffix: IsPublicSuffix = (host) => getPublicSuffix(host) === host;

/** By both sections of the public suffix list. */
export const registrableDomain: RegistrableDomain = (host) => getDomain(host, { allowPrivateDomains: true }) ?? host;
