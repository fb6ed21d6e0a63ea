import { getPublicSuffix } from 'tldts-icann';
import type { IsPublicSuffix } from '../../core/ports/public-suffix.ts';

/**
 * By the ICANN section of the public suffix list. A single label counts as a public suffix, because it may become one.
 */
export const isPublicSuffix: IsPublicSuffix = (host) => getPublicSuffix(host) === host;
