import type { Migration } from '../migrate.ts';
import { licensing } from './0001-licensing.ts';
import { accounts } from './0002-accounts.ts';
import { licenseVersions } from './0003-license-versions.ts';
import { unreferencedFiles } from './0004-unreferenced-files.ts';
import { keptFiles } from './0005-kept-files.ts';
import { countersOfAccounts } from './0006-counters-of-accounts.ts';
import { patternsOff } from './0007-patterns-off.ts';
import { licenseImports } from './0008-license-imports.ts';
import { idempotencyOwners } from './0009-idempotency-owners.ts';
import { keysInLicenseVersions } from './0010-keys-in-license-versions.ts';
import { roles } from './0011-roles.ts';
import { keyScopes } from './0012-key-scopes.ts';
import { workAndMails } from './0013-work-and-mails.ts';
import { signIn } from './0014-sign-in.ts';
import { publicProducts } from './0015-public-products.ts';
import { notifications } from './0016-notifications.ts';
import { accountUsage } from './0017-account-usage.ts';
import { administration } from './0018-administration.ts';
import { unusedIndexes } from './0019-unused-indexes.ts';
import { selling } from './0020-selling.ts';
import { hosts } from './0021-hosts.ts';
import { licenseSearch } from './0022-license-search.ts';
import { productVersions } from './0023-product-versions.ts';
import { usage } from './0024-usage.ts';
import { licenseImportDetails } from './0025-license-import-details.ts';
import { ownerUsage } from './0026-owner-usage.ts';
import { webhooks } from './0027-webhooks.ts';
import { orders } from './0028-orders.ts';
import { catalogue } from './0029-catalogue.ts';
import { deviceLogins } from './0030-device-logins.ts';
import { listeners } from './0031-listeners.ts';
import { catalogueIndexes } from './0032-catalogue-indexes.ts';
import { catalogueShortTerms } from './0033-catalogue-short-terms.ts';
import { catalogueCounts } from './0034-catalogue-counts.ts';
import { importRequests } from './0035-import-requests.ts';
import { orderedVersions } from './0036-ordered-versions.ts';
import { webhookFanOuts } from './0037-webhook-fan-outs.ts';
import { siteSettings } from './0038-site-settings.ts';
import { ordersPaidByHand } from './0040-orders-paid-by-hand.ts';
import { sellingRights } from './0041-selling-rights.ts';
import { ratings } from './0042-ratings.ts';
import { productLinks } from './0043-product-links.ts';
import { sellerPages } from './0044-seller-pages.ts';
import { productPictures } from './0045-product-pictures.ts';
import { catalogueDescriptions } from './0046-catalogue-descriptions.ts';
import { offers } from './0047-offers.ts';
import { licenseRights } from './0048-license-rights.ts';
import { licensePeriods } from './0049-license-periods.ts';
import { expiryReminders } from './0050-expiry-reminders.ts';
import { versionsForEverybody } from './0051-versions-for-everybody.ts';
import { paidPlans } from './0052-paid-plans.ts';
import { subscriptions } from './0053-subscriptions.ts';
import { licenseAliases } from './0060-license-aliases.ts';
import { coupons } from './0061-coupons.ts';
import { invoices } from './0062-invoices.ts';
import { prices } from './0063-prices.ts';
import { customers } from './0064-customers.ts';
import { bundles } from './0065-bundles.ts';
import { leastPrices } from './0066-least-prices.ts';
import { freeByCoupon } from './0067-free-by-coupon.ts';
import { importedAliases } from './0069-imported-aliases.ts';
import { licenseInstances } from './0075-license-instances.ts';
import { givenBackCoupons } from './0080-given-back-coupons.ts';
import { eddItems } from './0081-edd-items.ts';
import { passedOverLines } from './0082-passed-over-lines.ts';
import { deploymentChecks } from './0083-deployment-checks.ts';

import { wallets } from './0084-wallets.ts';
import { usdc } from './0085-usdc.ts';
import { deploymentFigures } from './0086-deployment-figures.ts';
import { usdcSentBack } from './0087-usdc-sent-back.ts';
import { usdcSoft } from './0088-usdc-soft.ts';
import { usdcClaims } from './0089-usdc-claims.ts';
import { workByKind } from './0090-work-by-kind.ts';
import { deploymentsOfAccount } from './0091-deployments-of-account.ts';
import { deploymentSpans } from './0092-deployment-spans.ts';
import { leases } from './0093-leases.ts';
import { domainProofs } from './0094-domain-proofs.ts';
import { licenseStrays } from './0095-license-strays.ts';
import { testClocks } from './0096-test-clocks.ts';
import { sandbox } from './0097-sandbox.ts';

/** In the order in which they run. Never change a released migration: add a new one. */
export const migrations: readonly Migration[] = [
  licensing,
  accounts,
  licenseVersions,
  unreferencedFiles,
  keptFiles,
  countersOfAccounts,
  patternsOff,
  licenseImports,
  idempotencyOwners,
  keysInLicenseVersions,
  roles,
  keyScopes,
  workAndMails,
  signIn,
  publicProducts,
  notifications,
  accountUsage,
  administration,
  unusedIndexes,
  selling,
  hosts,
  licenseSearch,
  productVersions,
  usage,
  licenseImportDetails,
  ownerUsage,
  webhooks,
  orders,
  catalogue,
  deviceLogins,
  listeners,
  catalogueIndexes,
  catalogueShortTerms,
  catalogueCounts,
  importRequests,
  orderedVersions,
  webhookFanOuts,
  siteSettings,
  ordersPaidByHand,
  sellingRights,
  ratings,
  productLinks,
  sellerPages,
  productPictures,
  catalogueDescriptions,
  offers,
  licenseRights,
  licensePeriods,
  expiryReminders,
  versionsForEverybody,
  paidPlans,
  subscriptions,
  licenseAliases,
  coupons,
  invoices,
  prices,
  customers,
  bundles,
  leastPrices,
  freeByCoupon,
  importedAliases,
  licenseInstances,
  givenBackCoupons,
  eddItems,
  passedOverLines,
  deploymentChecks,
  wallets,
  usdc,
  deploymentFigures,
  usdcSentBack,
  usdcSoft,
  usdcClaims,
  workByKind,
  deploymentsOfAccount,
  deploymentSpans,
  leases,
  domainProofs,
  licenseStrays,
  testClocks,
  sandbox,
];
