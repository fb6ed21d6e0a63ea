import { createHash } from 'node:crypto';
import { type AliasKind, type AliasText, foldedAlias, writtenAs } from '../../../core/licensing/alias.ts';
import { shortenLicenseKey } from '../../../core/licensing/license-key.ts';

/** Returns the columns that are stored of an alias instead of its text. */
export function storedAlias(text: AliasText, kind: AliasKind) {
  return { kind, digest: foldedDigest(text), exact_digest: exactDigest(text, kind), hint: shortenLicenseKey(text) };
}

/** No two aliases have the same. */
export const foldedDigest = (text: AliasText): string => digestOf(foldedAlias(text));

export const exactDigest = (text: AliasText, kind: AliasKind): string => digestOf(writtenAs(text, kind));

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
