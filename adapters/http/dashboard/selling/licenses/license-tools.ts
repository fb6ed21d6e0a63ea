import type { Accounts } from '../../../../../core/accounts/accounts.ts';
import type { LicenseDomains } from '../../../../../core/selling/license-domains.ts';
import type { SellerLicenses } from '../../../../../core/selling/licenses.ts';
import type { OrderList } from '../../../../../core/selling/order-list.ts';
import type { SellerProducts } from '../../../../../core/selling/products.ts';
import type { ShownLicense, SoldLicense } from '../../../../../core/selling/sold-license.ts';
import type { SellingUsage } from '../../../../../core/selling/usage.ts';
import type { SheetTools } from '../../../sheet-tools.ts';
import { areas } from '../../../ui/area-page.tsx';
import type { Once } from '../../once.ts';
import { orFail } from '../../or-fail.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';

/** The dependencies of the pages about licenses. */
export interface LicenseTools {
  readonly licenses: SellerLicenses;
  readonly domains: LicenseDomains;
  readonly orders: Pick<OrderList, 'findByLicense'>;
  readonly usage: SellingUsage;
  readonly products: Pick<SellerProducts, 'list' | 'show'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly sheets: SheetTools;
  readonly once: Once;
}

/** The license in the path. Throws `not_found` if the person cannot reach it. */
export async function licenseIn({ licenses }: LicenseTools, visit: SignedInVisit): Promise<ShownLicense> {
  return orFail(await licenses.show(visit.params.key ?? '', sellerIn(visit)));
}

/** Whether its payment gives the license another status than people gave it. */
export function isWithheld({ license: { standing, ownStanding } }: Pick<SoldLicense, 'license'>): boolean {
  return ownStanding !== null && ownStanding !== standing;
}

/** The path of a license from the site's first page. Everybody who reaches it sees it there. */
export function addressOf({ license: { key, isLive } }: Pick<SoldLicense, 'license'>): string {
  return `${areas.selling.licenses.replace(':mode', isLive ? 'live' : 'test')}/${key}`;
}

/** The path of a page about one domain of a license, from the site's first page. */
export function domainAddress(shown: Pick<SoldLicense, 'license'>, domain: string, act: 'move' | 'remove'): string {
  return `${addressOf(shown)}/domains/${encodeURIComponent(domain)}/${act}`;
}
