import { writeDeployments, writeGroups } from '../../../adapters/csv/deployment-sheet.ts';
import { createWithin } from '../../../adapters/within.ts';
import { createDeployments } from '../../../core/deployments/deployments.ts';
import { createConfirmLateCodes } from '../../../core/deployments/late-codes.ts';
import { parseHostPattern } from '../../../core/licensing/host-pattern.ts';
import { createFindContents } from '../../../core/marketplace/bundles.ts';
import { createMarketplace } from '../../../core/marketplace/marketplace.ts';
import { createMarketplaceAdministration } from '../../../core/marketplace/product-administration.ts';
import { createProductTemplates } from '../../../core/marketplace/product-template.ts';
import { createQuestions } from '../../../core/marketplace/questions.ts';
import { createReviewers } from '../../../core/marketplace/reviewers.ts';
import { createShowContents } from '../../../core/marketplace/show-contents.ts';
import { createStorefront } from '../../../core/marketplace/storefront.ts';
import { createStoring } from '../../../core/marketplace/storing.ts';
import { createTransitProduct } from '../../../core/marketplace/transit-product.ts';
import { createWithdrawals } from '../../../core/marketplace/withdrawals.ts';
import { createSoldPlans } from '../../../core/plans/sold-plans.ts';
import { createRatings } from '../../../core/ratings/ratings.ts';
import { createSellerPages } from '../../../core/sellers/seller-pages.ts';
import { createSoldDeployments } from '../../../core/selling/deployment-figures.ts';
import { createSetAdapters } from '../../../core/selling/product-adapters.ts';
import { createSetBundle } from '../../../core/selling/product-bundles.ts';
import { createProductOffers } from '../../../core/selling/product-offers.ts';
import { createSellerProducts } from '../../../core/selling/products.ts';
import { createSellerReleaseCodes } from '../../../core/selling/release-codes.ts';
import { createTemplateAdministration } from '../../../core/templates/template-administration.ts';
import { createTemplates } from '../../../core/templates/templates.ts';
import { clock, files, linkLifetime, secrets, setting } from '../chosen.ts';
import { keepWithdrawing } from '../keeping.ts';
import { part } from '../part.ts';
import { storageAllowance } from './accounts.ts';
import { chains, keccak } from './chain.ts';
import { zipContents } from './files.ts';
import { rateLimiter } from './limits.ts';
import { writeLetter } from './mail.ts';
import { boughtFiles, purchaseCheck } from './purchases.ts';
import { currentSettings, nowSet } from './settings.ts';
import * as sql from './sql.ts';

/** Milliseconds that a client waits for the deletion of what its failed upload has left. The rest is deleted later. */
const withdrawalTime = 2_000;

const loadTransliterate = part(
  () => async () => (await import('../../../adapters/ascii/transliterate.ts')).transliterate,
  {},
);
const loadParsePattern = part(
  () => async () => {
    const { isPublicSuffix } = await import('../../../adapters/domains/public-suffix.ts');
    return (text: string) => parseHostPattern(text, isPublicSuffix);
  },
  {},
);

export const withdrawals = part(
  (ports) => keepWithdrawing(createWithdrawals({ ...ports, within: createWithin(withdrawalTime) })),
  { files, ledger: sql.fileLedger },
  (made) => made.close(),
);
export const storing = part(createStoring, {
  files,
  ledger: sql.fileLedger,
  withdrawals,
  clock,
  allowances: storageAllowance,
});
export const reviewers = part(createReviewers, {
  store: sql.productStore,
  accounts: sql.accountStore,
  write: writeLetter,
});
export const questions = part(createQuestions, {
  products: sql.productStore,
  accounts: sql.accountStore,
  mails: sql.mailStore,
  limiter: rateLimiter,
  clock,
  write: writeLetter,
});
export const soldPlans = part(createSoldPlans, {
  accounts: sql.accountStore,
  plans: sql.paidPlans,
  products: sql.productStore,
  settings: currentSettings,
  clock,
});
export const sellerPages = part(createSellerPages, {
  store: sql.sellerPageStore,
  products: sql.productStore,
  accounts: sql.accountStore,
  clock,
});
export const ratings = part(createRatings, {
  store: sql.ratingStore,
  products: sql.productStore,
  licenses: sql.licenseStore,
  orders: sql.orderStore,
  accounts: sql.accountStore,
  clock,
  write: writeLetter,
});
export const storefront = part(createStorefront, { catalogue: sql.catalogue, products: sql.productStore });
export const marketplace = part(createMarketplace, {
  store: sql.productStore,
  uploads: sql.uploadLog,
  storing,
  reviewers,
  clock,
  secrets,
  loadTransliterate,
  loadParsePattern,
  sellingPolicy: nowSet('selling'),
});
export const transitProduct = part(createTransitProduct, {
  store: sql.productStore,
  accounts: sql.accountStore,
  reviewers,
  clock,
  write: writeLetter,
});
export const products = part(createMarketplaceAdministration, {
  store: sql.productStore,
  clock,
  loadTransliterate,
  transit: transitProduct,
});
export const productTemplates = part(createProductTemplates, {
  store: sql.productStore,
  templates: sql.templateStore,
  clock,
});
export const showContents = part(createShowContents, { store: sql.productStore, zips: zipContents });
export const sellerProducts = part(createSellerProducts, {
  store: sql.productStore,
  accounts: sql.accountStore,
  files,
  storing,
  reviewers,
  clock,
  secrets,
  review: setting('REVIEW'),
  linkLifetime,
  transit: transitProduct,
  loadParsePattern,
});

export const productOffers = part(createProductOffers, { store: sql.productStore, loadTransliterate, clock });

export const setAdapters = part(createSetAdapters, { store: sql.productStore, clock });
export const setBundle = part(createSetBundle, { store: sql.productStore, clock });
export const findContents = part(createFindContents, { store: sql.productStore });

export const templates = part(createTemplates, {
  store: sql.templateStore,
  purchases: purchaseCheck,
  files,
  clock,
  linkLifetime,
  linkOfOrder: part(({ bought }) => bought.downloadTemplateOf, { bought: boughtFiles }),
});
export const templateAdministration = part(createTemplateAdministration, {
  store: sql.templateStore,
  ledger: sql.purchaseLedger,
  clock,
});
export const deployments = part((ports) => createDeployments({ ...ports, writeSheet: writeDeployments }), {
  log: sql.deploymentLog,
  checks: sql.deploymentChecks,
  templates: sql.templateStore,
  chains,
  clock,
});
export const soldDeployments = part(
  (ports) => createSoldDeployments({ ...ports, writeGroups, writeSheet: writeDeployments }),
  { figures: sql.deploymentFigures, checks: sql.deploymentChecks, products: sql.productStore, clock },
);
export const confirmLateCodes = part(({ codes }) => createConfirmLateCodes(codes), { codes: sql.releaseCodes });
export const sellerReleaseCodes = part(createSellerReleaseCodes, {
  products: sql.productStore,
  codes: sql.releaseCodes,
  keccak,
  clock,
});
