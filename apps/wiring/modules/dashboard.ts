import { ContainerModule } from 'inversify';
import { adminPages } from '../../../adapters/http/dashboard/admin/admin-pages.ts';
import { devicePages } from '../../../adapters/http/dashboard/device/device.tsx';
import { failurePage } from '../../../adapters/http/dashboard/failure-page.ts';
import { notificationPages } from '../../../adapters/http/dashboard/notifications/notifications.tsx';
import { createOnce } from '../../../adapters/http/dashboard/once.ts';
import { keyPages } from '../../../adapters/http/dashboard/plan/key-pages.tsx';
import { newKeyPages } from '../../../adapters/http/dashboard/plan/new-key.tsx';
import { planOverview } from '../../../adapters/http/dashboard/plan/overview.tsx';
import { rotatePages } from '../../../adapters/http/dashboard/plan/rotate.tsx';
import { securityOverview } from '../../../adapters/http/dashboard/security/overview.tsx';
import { ownDataPages } from '../../../adapters/http/dashboard/security/own-data.tsx';
import { secondFactorPages } from '../../../adapters/http/dashboard/security/second-factor.tsx';
import { sessionEndpoints } from '../../../adapters/http/dashboard/security/sessions.tsx';
import { newAccountPages } from '../../../adapters/http/dashboard/sign-in/new-account.tsx';
import { recoveryPages } from '../../../adapters/http/dashboard/sign-in/recovery.tsx';
import { signInPages } from '../../../adapters/http/dashboard/sign-in/sign-in.tsx';
import { accountEnvelope } from '../../../adapters/http/envelopes.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { dashboardHeaders, transportHeaders } from '../../../adapters/http/security-headers.ts';
import { type Endpoint, isUnder, type Surface } from '../../../adapters/http/surface.ts';
import { createCookies } from '../../../adapters/http/visitor/cookies.ts';
import { findSession, publicFrame } from '../../../adapters/http/visitor/frame-of.ts';
import type { ServedSurface } from '../served-surface.ts';
import { t, token } from '../tokens.ts';
import { isBuyPath } from './buying.ts';
import { bindProductPages, productPages } from './selling.ts';

const prefixes = [
  '/account',
  '/admin',
  '/change-email',
  '/device',
  '/forgot-password',
  '/invitation',
  '/orders',
  '/reset-password',
  '/selling',
  '/setup',
  '/sign-in',
  '/sign-out',
  '/sign-up',
  '/verify-email',
];
const shared = {
  owns: (path: string) => prefixes.some((prefix) => isUnder(path, prefix)) || isBuyPath(path),
  envelope: accountEnvelope,
};
const surface = token<Surface>('dashboardSurface');
const securityPages = token<Endpoint[]>('securityPages');
const planPages = token<Endpoint[]>('planPages');
const administration = token<Endpoint[]>('administrationPages');

const module = new ContainerModule(({ bind }) => {
  bindProductPages(bind);
  bind(t.dashboardTools).toResolvedValue(
    (config, sessions, notifications, clientAddress, clock, { readForm }, serving, orders) => ({
      sessions,
      readForm,
      clientAddress,
      clock,
      cookies: createCookies(config.BASE_URL.startsWith('https:')),
      unread: ({ login }) => notifications.countUnread(login.id),
      heldOrders: async ({ login }) => (await orders.held({ kind: 'user', user: login })).length,
      site: config.SITE_NAME,
      origin: new URL(config.BASE_URL).origin,
      images: serving.origin,
    }),
    [t.config, t.sessions, t.notifications, t.clientAddress, t.clock, t.accountTools, t.fileServing, t.orderList],
  );
  bind(planPages).toResolvedValue(
    (tools, config, accounts, usage, contentsOf, files, store, clock): Endpoint[] => {
      const once = createOnce(store, clock);
      const plan = { accounts, usage, contentsOf, files, once, baseUrl: config.BASE_URL };
      return [
        planOverview(tools, plan),
        ...newKeyPages(tools, plan),
        ...keyPages(tools, plan),
        ...rotatePages(tools, plan),
      ];
    },
    [t.dashboardTools, t.config, t.accounts, t.accountUsage, t.planContents, t.fileLedger, t.idempotencyStore, t.clock],
  );
  bind(t.publicFrame).toResolvedValue(publicFrame, [t.dashboardTools]);
  bind(administration).toResolvedValue(
    (config, tools, users, accounts, sessions, { invite }, trail, mails, system): Endpoint[] =>
      adminPages(tools, { users, accounts, sessions, invite, trail, mails, system, baseUrl: config.BASE_URL }),
    [
      t.config,
      t.dashboardTools,
      t.userAdministration,
      t.accounts,
      t.sessions,
      t.signUp,
      t.auditTrail,
      t.mails,
      t.system,
    ],
  );
  bind(securityPages).toResolvedValue(
    (tools, sessions, naming, credentials, secondFactor): Endpoint[] => [
      securityOverview(tools, sessions),
      ...sessionEndpoints(tools, sessions),
      ...ownDataPages(tools, naming, credentials),
      ...secondFactorPages(tools, secondFactor),
    ],
    [t.dashboardTools, t.sessions, t.naming, t.credentials, t.secondFactor],
  );
  bind(surface).toResolvedValue(
    (
      config,
      tools,
      frameOf,
      signIn,
      signUp,
      sessions,
      credentials,
      devices,
      plan,
      security,
      notifications,
      products,
      licenses,
      orders,
      webhooks,
      buying,
      admin,
    ): Surface => ({
      ...shared,
      name: 'dashboard',
      endpoints: [
        ...signInPages(tools, signIn, sessions),
        ...newAccountPages(tools, signUp, config.SIGN_UP),
        ...recoveryPages(tools, credentials),
        ...devicePages(tools, devices),
        ...plan,
        ...security,
        ...notificationPages(tools, notifications),
        ...products,
        ...licenses,
        ...orders,
        ...webhooks,
        ...buying,
        ...admin,
      ],
      headers: { ...transportHeaders(config.BASE_URL, config.HSTS_INCLUDE_SUBDOMAINS), ...dashboardHeaders },
      authenticate: (ctx) => findSession(tools, ctx),
      quotaOf: perAddress('dashboard', tools.clientAddress, config.RATE_LIMIT_PAGES),
      renderFailure: failurePage(config.SITE_NAME, frameOf),
    }),
    [
      t.config,
      t.dashboardTools,
      t.publicFrame,
      t.signIn,
      t.signUp,
      t.sessions,
      t.credentials,
      t.deviceLogins,
      planPages,
      securityPages,
      t.notifications,
      productPages,
      t.sellingLicensePages,
      t.sellingOrderPages,
      t.sellingWebhookPages,
      t.buyingPages,
      administration,
    ],
  );
});

/** The pages for people who sign in. */
export const dashboard: ServedSurface = {
  ...shared,
  token: surface,
  module,
  servedBy: ['all', 'account'],
  url: 'BASE_URL',
};
