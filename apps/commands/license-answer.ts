import { iso } from '../../core/iso.ts';
import type { Activation } from '../../core/licensing/license.ts';
import type { LicenseSummary } from '../../core/licensing/licensing.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Answer } from './action.ts';
import { counted, table } from './table.ts';

/** Renders the fields of the status response. `toJson` converts the names to snake_case. */
export function licenseAnswer(license: LicenseSummary): Answer {
  const { key, status, product, domainsUsed, maxDomains, verifications, expiresAt, createdAt } = license;
  const { updatesUntil, entitlements } = license;
  const domains = license.domains.map(fieldsOf);
  const domainsWithoutSlot = license.domainsWithoutSlot.map((one) => ({ ...fieldsOf(one), kind: one.kind }));
  const domain = license.newest ? fieldsOf(license.newest) : null;
  const used = { domain, domains, domainsWithoutSlot, domainsUsed, maxDomains, ...verifications };
  const older = domainsUsed - license.domains.filter(({ endsAt }) => endsAt === null).length;
  const text = table([
    ['license', key],
    ['status', status],
    ['product', `${product.title} (${product.slug}, id ${product.id})`],
    ['expires', expires(expiresAt)],
    ...(updatesUntil === null ? [] : [['updates', `until ${iso(updatesUntil)}`]]),
    ...(entitlements.length === 0 ? [] : [['entitlements', entitlements.join(', ')]]),
    ['created', iso(createdAt)],
    ['verified', verified(verifications)],
    ['domains', `${domainsUsed} of ${maxDomains}`],
    ...license.domains.map((one) => ['', line(one)]),
    ...(older > 0 ? [['', `and ${older} older ones`]] : []),
    ...license.domainsWithoutSlot.map((one, index) => [index === 0 ? 'without slot' : '', `${line(one)}, ${one.kind}`]),
  ]);
  const rights = { updatesUntil, entitlements };
  return { json: { license: { key, status, product, ...used, expiresAt, ...rights, createdAt } }, text };
}

/** Returns the fields to print. A domain that is proven also has `provenAt`, and one that is being moved `validUntil`. */
function fieldsOf({ domain, activatedAt, verificationCount, lastVerifiedAt, provenAt, endsAt }: Activation) {
  return {
    ...{ domain, activatedAt, verificationCount, lastVerifiedAt },
    ...(provenAt !== undefined && { provenAt }),
    ...(endsAt !== null && { validUntil: endsAt }),
  };
}

function line(one: Activation): string {
  const proven = one.provenAt === undefined ? '' : `, proven ${iso(one.provenAt)}`;
  const until = one.endsAt === null ? '' : `, valid until ${iso(one.endsAt)}`;
  return `${one.domain}  since ${iso(one.activatedAt)}${proven}, verified ${verified(one)}${until}`;
}

export function productOf(product: Product | undefined) {
  return product ? { id: product.id, title: product.title, slug: product.slug } : null;
}

export function expires(expiresAt: Instant | null): string {
  return expiresAt === null ? 'never' : iso(expiresAt);
}

function verified({ verificationCount, lastVerifiedAt }: LicenseSummary['verifications']): string {
  return lastVerifiedAt === null ? 'never' : `${counted(verificationCount, 'time')}, last ${iso(lastVerifiedAt)}`;
}
