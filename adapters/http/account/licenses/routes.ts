import type { LicenseDomains } from '../../../../core/selling/license-domains.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import type { AccountTools, Route } from '../../route.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import { changeManyLicenses } from './bulk.ts';
import { changeLicense } from './change.ts';
import { moveDomain, removeDomain } from './domains.ts';
import { licenseEvents } from './events.ts';
import { explainLicense } from './explain.ts';
import { exportLicenses } from './export.ts';
import { importLicenses } from './import.ts';
import { issueLicenses } from './issue.ts';
import { listLicenses } from './list.ts';
import { showLicense } from './show.ts';
import { renewLicense, transitLicense } from './transitions.ts';

/** In the order of the API reference. */
export function sellerLicenseRoutes(
  tools: AccountTools,
  licenses: SellerLicenses,
  domains: LicenseDomains,
  sheets: SheetTools,
): Route[] {
  // The addresses of files come before those with a key in the same place.
  const withoutKey = [
    listLicenses(tools, licenses),
    issueLicenses(tools, licenses),
    importLicenses(tools, sheets),
    exportLicenses(sheets),
  ];
  const withKey = [
    showLicense,
    changeLicense,
    transitLicense,
    renewLicense,
    removeDomain,
    moveDomain,
    changeManyLicenses,
    licenseEvents,
    explainLicense,
  ].flatMap((routes) => routes(tools, licenses, domains));
  return [...withoutKey, ...withKey];
}
