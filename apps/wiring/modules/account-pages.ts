import { planPages } from '../../../adapters/http/dashboard/api-keys/plan.tsx';
import { buyingPages } from '../../../adapters/http/dashboard/buying/order-page.tsx';
import { createReplay } from '../../../adapters/http/dashboard/kit/once.ts';
import { notificationPages } from '../../../adapters/http/dashboard/notifications/notifications.tsx';
import { sandboxPages } from '../../../adapters/http/dashboard/sandbox/sandbox.tsx';
import { securityPages } from '../../../adapters/http/dashboard/security/overview.tsx';
import { devicePages } from '../../../adapters/http/dashboard/sign-in/device.tsx';
import { newAccountPages } from '../../../adapters/http/dashboard/sign-in/new-account.tsx';
import { recoveryPages, signInPages } from '../../../adapters/http/dashboard/sign-in/sign-in.tsx';
import { clock, config, setting } from '../chosen.ts';
import { listOf } from '../part.ts';
import * as people from './accounts.ts';
import { printSheet } from './files.ts';
import { notifications } from './mail.ts';
import { deployments, questions, ratings, soldPlans } from './marketplace.ts';
import { once, pages } from './page-tools.ts';
import { paymentSettings } from './payments.ts';
import {
  billing,
  boughtFiles,
  boughtLicenses,
  checkout,
  purchases,
  readBoughtItems,
  renewing,
  rotateBoughtKey,
  subscribing,
  usdcPaying,
} from './purchases.ts';
import { shownBytes, shownUsage } from './remembered.ts';
import { openSandbox } from './sandbox.ts';
import { nowSet } from './settings.ts';
import { idempotencyStore } from './sql.ts';
import { usdcClaiming } from './usdc.ts';

/** The pages for signing in, for the own account and for buying. */
export const accountPages = listOf([
  pages((tools, { signIn, sessions }) => signInPages(tools, signIn, sessions), {
    signIn: people.signIn,
    sessions: people.sessions,
  }),
  pages((tools, { signUp, policy }) => newAccountPages(tools, signUp, policy), {
    signUp: people.signUp,
    policy: nowSet('sign_up'),
  }),
  pages((tools, { credentials }) => recoveryPages(tools, credentials), { credentials: people.credentials }),
  pages(sandboxPages, {
    open: openSandbox,
    sessions: people.sessions,
    baseUrl: setting('BASE_URL'),
    licenseApi: setting('VERIFY_URL'),
  }),
  pages((tools, { devices }) => devicePages(tools, devices), { devices: people.deviceLogins }),
  pages(planPages, {
    accounts: people.accounts,
    usage: shownUsage,
    contentsOf: people.planContents,
    files: shownBytes,
    sold: soldPlans,
    once,
    baseUrl: setting('BASE_URL'),
  }),
  pages(securityPages, {
    sessions: people.sessions,
    naming: people.naming,
    credentials: people.credentials,
    secondFactor: people.secondFactor,
  }),
  pages((tools, { notifications }) => notificationPages(tools, notifications), { notifications }),
  pages(
    (tools, { config, settings, store, clock, ...own }) =>
      buyingPages(tools, {
        ...own,
        replay: createReplay(store, clock),
        get instructions() {
          return settings.manual?.instructions;
        },
        get payPages() {
          return settings.provider && payPagesOf(config.STRIPE_API_URL);
        },
        baseUrl: config.BASE_URL,
        licenseApi: config.VERIFY_URL,
      }),
    {
      config,
      settings: paymentSettings,
      checkout,
      renewing,
      subscribing,
      purchases,
      usdc: usdcPaying,
      claiming: usdcClaiming,
      billing,
      print: printSheet,
      licenses: boughtLicenses,
      readItems: readBoughtItems,
      rotateKey: rotateBoughtKey,
      files: boughtFiles,
      deployments,
      questions,
      ratings,
      store: idempotencyStore,
      clock,
    },
  ),
]);

/** The origin of the pages for paying. An imitation of Stripe serves them itself. */
function payPagesOf(api: string): string {
  const { origin } = new URL(api);
  return origin === 'https://api.stripe.com' ? 'https://checkout.stripe.com' : origin;
}
