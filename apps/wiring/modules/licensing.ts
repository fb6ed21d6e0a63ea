import { licenseSheet } from '../../../adapters/csv/license-sheet.ts';
import { signLink } from '../../../adapters/files/signed-link.ts';
import { createSigner } from '../../../adapters/node/signer.ts';
import { createSlowAnswers } from '../../../adapters/node/slow-answers.ts';
import { withSmallHeap } from '../../../adapters/node/small-heap.ts';
import { createDomainProofs } from '../../../adapters/proofs/domain-proofs.ts';
import { createInstances } from '../../../core/licensing/clients/instances.ts';
import { createSiteUpdates, type LicenseLink } from '../../../core/licensing/clients/site-updates.ts';
import { createSites } from '../../../core/licensing/clients/sites.ts';
import { createSlmDomains } from '../../../core/licensing/clients/slm-domains.ts';
import { createUses } from '../../../core/licensing/clients/uses.ts';
import { createIssuing } from '../../../core/licensing/issuing.ts';
import { createLicensing } from '../../../core/licensing/licensing.ts';
import { createStrayCounter } from '../../../core/licensing/stray-counter.ts';
import { createSellerLicenses } from '../../../core/selling/licenses.ts';
import { createSellerOverview } from '../../../core/selling/overview.ts';
import { recordStrays } from '../../../core/selling/record-strays.ts';
import { createSheetExport } from '../../../core/selling/sheet-export.ts';
import { createSheetImports } from '../../../core/selling/sheet-import.ts';
import { createSellerStrays } from '../../../core/selling/strays.ts';
import { createSellingUsage } from '../../../core/selling/usage.ts';
import { clock, longWork, secrets, setting } from '../chosen.ts';
import { lifecycle } from '../lifecycle.ts';
import { part } from '../part.ts';
import { rateLimiter } from './limits.ts';
import { writeLetter } from './mail.ts';
import * as sql from './sql.ts';

const sheet = part(() => licenseSheet, {});

export const domainProofs = part(
  ({ signer, former }) => createDomainProofs({ signer, former: former.map(createSigner) }),
  { signer: sql.signer, former: setting('SECRET_KEY_FORMER') },
);
/** What looks up proofs of domains. */
export const ofProofs = { proofs: domainProofs, unproven: sql.unprovenDomains };
/** One for the process, so that its bound holds for all operations. */
export const slowAnswer = part(({ lifecycle: { accepts } }) => createSlowAnswers({ accepts }), { lifecycle });
export const licensing = part(createLicensing, {
  ...ofProofs,
  store: sql.licenseStore,
  aliases: sql.licenseAliases,
  clock,
  pause: slowAnswer,
});
/** What use cases for clients of other systems need of licenses. */
const ofClients = { store: sql.licenseStore, aliases: sql.licenseAliases, products: sql.productStore, clock };
export const instances = part(createInstances, {
  ...ofClients,
  instances: sql.licenseInstances,
  licensing,
  secrets,
});
export const sites = part(createSites, {
  ...ofClients,
  instances: sql.licenseInstances,
  licensing,
  secrets,
});
export const slmDomains = part(createSlmDomains, {
  ...ofClients,
  instances: sql.licenseInstances,
  licensing,
  secrets,
});
export const uses = part(createUses, { ...ofClients, uses: sql.licenseUses });
export const siteUpdates = part(createSiteUpdates, {
  ...ofClients,
  licensing,
  secrets,
  linkTo: part(
    ({ signer, baseUrl }): LicenseLink =>
      (license, key, filename, until) =>
        signLink(signer, baseUrl, key, filename, until, { license }),
    { signer: sql.signer, baseUrl: setting('BASE_URL') },
  ),
});
export const issuing = part(withSmallHeap(createIssuing, ['recoverImports']), {
  store: sql.licenseStore,
  imports: sql.licenseImports,
  products: sql.productStore,
  clock,
  secrets,
});
export const sellerLicenses = part(createSellerLicenses, {
  ...ofProofs,
  store: sql.licenseStore,
  aliases: sql.licenseAliases,
  search: sql.licenseSearch,
  products: sql.productStore,
  log: sql.auditLog,
  clock,
  secrets,
  longWork,
  write: writeLetter,
  clocks: sql.testClocks,
  orders: sql.orderStore,
  limiter: rateLimiter,
});
export const sheetImports = part(
  withSmallHeap(createSheetImports, ['importAny', 'importOwn', 'checkAny', 'checkOwn']),
  { imports: sql.licenseImports, products: sql.productStore, sheet, limiter: rateLimiter, clock, secrets },
);
export const sheetExport = part(createSheetExport, {
  search: sql.licenseSearch,
  details: sql.licenseDetails,
  products: sql.productStore,
  sheet,
  clock,
});
export const sellerOverview = part(createSellerOverview, {
  figures: sql.usageFigures,
  counts: sql.licenseCounts,
  licenses: sql.licenseSearch,
  products: sql.productStore,
  clock,
});
export const sellingUsage = part(createSellingUsage, {
  figures: sql.usageFigures,
  products: sql.productStore,
  licenses: sql.licenseStore,
  clock,
});
export const sellerStrays = part(createSellerStrays, {
  strays: sql.strayStore,
  licenses: sql.licenseStore,
  products: sql.productStore,
  clock,
});
/** The verifications that were refused on foreign hosts, in the memory of the process, until a job stores them. */
export const strayCounter = part(() => createStrayCounter(), {});
/** Stores them. The list of public suffixes is large: it is loaded for the first of them. */
export const storeStrays = part(
  async (ports) => {
    const { registrableDomain } = await import('../../../adapters/domains/public-suffix.ts');
    return (goesOn: () => boolean) => recordStrays({ ...ports, registrableDomain }, goesOn);
  },
  {
    counter: strayCounter,
    strays: sql.strayStore,
    licenses: sql.licenseStore,
    aliases: sql.licenseAliases,
    accounts: sql.accountStore,
    limiter: rateLimiter,
    write: writeLetter,
    clock,
  },
);
