import { type LicenseStatus, licenseStatuses } from '../../../../../core/licensing/license.ts';
import { licenseOrders } from '../../../../../core/ports/license-search.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { LicenseWish } from '../../../../../core/selling/finding.ts';
import { formatLicensePlace, parseLicensePlace } from '../../../../../core/selling/license-place.ts';
import { Failure } from '../../../failures.ts';
import { type Choices, choicesIn, chosen, startOf } from '../../query.ts';
import type { Visit } from '../../visit.ts';

/** The filters in the address of a list of licenses. */
export type ListChoices = Readonly<Record<'q' | 'product' | 'status' | 'expires_before' | 'sort', string>>;

const perPage = 50;

export function listChoices(visit: Visit): ListChoices {
  return choicesIn(visit, 'q', 'product', 'status', 'expires_before', 'sort');
}

/** Returns the query that the address describes. Throws `not_found` if its `after` is not a valid place. */
export function wishIn(visit: Visit, { q, product, status, expires_before, sort }: ListChoices): LicenseWish {
  const { after = '' } = visit.query;
  const place = after === '' ? undefined : parseLicensePlace(after);
  if (isRefused(place)) throw new Failure('not_found');
  return {
    search: q || undefined,
    product: product || undefined,
    status: chosen<LicenseStatus>(status, licenseStatuses),
    expiresBefore: startOf(expires_before),
    order: chosen(sort, licenseOrders),
    after: place,
    limit: perPage,
  };
}

/** The place of the next page in the address. */
export function nextOf(next: LicenseWish['after']): Choices | undefined {
  return next && { after: formatLicensePlace(next) };
}
