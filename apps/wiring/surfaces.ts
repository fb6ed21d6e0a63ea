import type { Container } from 'inversify';
import { ownsAccountApi } from '../../adapters/http/account/paths.ts';
import { ownsDashboard } from '../../adapters/http/dashboard/paths.ts';
import { eddEnvelope } from '../../adapters/http/edd/answers.ts';
import { ownsEdd } from '../../adapters/http/edd/endpoints.ts';
import { accountEnvelope, licenseEnvelope } from '../../adapters/http/envelopes.ts';
import { gumroadEnvelope } from '../../adapters/http/gumroad/answers.ts';
import { ownsGumroad } from '../../adapters/http/gumroad/endpoints.ts';
import { ownsHealth, type Readiness } from '../../adapters/http/health.ts';
import { ownsHooks } from '../../adapters/http/hooks/stripe.ts';
import { lemonSqueezyEnvelope, ownsLemonSqueezy } from '../../adapters/http/lemonsqueezy/endpoints.ts';
import { perAddress } from '../../adapters/http/rate-limit.ts';
import { apiHeaders, transportHeaders } from '../../adapters/http/security-headers.ts';
import { ownsSite } from '../../adapters/http/site/paths.ts';
import { slmEnvelope } from '../../adapters/http/slm/answers.ts';
import { ownsSlm } from '../../adapters/http/slm/endpoints.ts';
import type { Context } from '../../adapters/http/state.ts';
import { ownsStorefront } from '../../adapters/http/storefront/paths.ts';
import type { LazySurface, OwnSurface, SendNotFound, Surface } from '../../adapters/http/surface.ts';
import { asksForPage } from '../../adapters/http/ui/send-page.ts';
import { madeAtFirstCall } from '../../adapters/once-made.ts';
import * as chosen from './chosen.ts';
import type { Config } from './config.ts';
import { clientAddress } from './modules/addresses.ts';
import { healthSurface, hooksSurface } from './modules/http.ts';
import { eddSurface, gumroadSurface, lemonSqueezySurface, licenseSurface, slmSurface } from './modules/license-api.ts';
import { limiterWarnings } from './modules/limits.ts';
import { databaseChecks } from './modules/sql.ts';
import { bind, give, listOf, loadedLater, type Part, part } from './part.ts';

/**
 * The description of a surface. Processes that do not serve the surface use it too, to answer its paths with
 * `not_found`.
 */
interface ServedSurface extends Pick<LazySurface, 'owns' | 'envelope'>, Partial<Pick<LazySurface, 'atStart'>> {
  /** Loads its module, unless that is there already. */
  readonly load: () => Promise<Part<OwnSurface>>;
  /** The values of SURFACE whose processes serve it. In other processes, its paths get `not_found`. */
  readonly servedBy: readonly Config['SURFACE'][];
  /** Whether it reads or writes stored files. If so, its processes check the file storage and sweep it. */
  readonly usesFiles?: boolean;
  /** The setting with its public address. */
  readonly url: 'BASE_URL' | 'VERIFY_URL';
}

const ofAccounts = { envelope: accountEnvelope, servedBy: ['all', 'account'], url: 'BASE_URL' } as const;
const ofLicenses = { envelope: licenseEnvelope, url: 'VERIFY_URL' } as const;
/** Deployed sites call these while they run, so no call waits until the surface is made. */
const ofSites = { ...ofLicenses, servedBy: ['all', 'license'], atStart: true } as const;

// The modules of pages and of the account API are large, and an embedded service seldom needs all of them: their first request loads them.
const loadDashboard = async () => (await import('./modules/dashboard.ts')).dashboardSurface;
const loadSite = async () => (await import('./modules/site.ts')).siteSurface;
const loadStorefront = async () => (await import('./modules/storefront.ts')).storefrontSurface;
const loadAccountApi = async () => (await import('./modules/account-api.ts')).accountSurface;
const loadNotFound = async () => (await import('./modules/page-tools.ts')).notFound;

/** All surfaces. The first one that owns a path answers it, so the license API, which owns every path, is the last. */
const all: readonly ServedSurface[] = [
  { load: async () => healthSurface, owns: ownsHealth, ...ofLicenses, servedBy: ['all', 'account', 'license'] },
  { load: async () => hooksSurface, owns: ownsHooks, ...ofAccounts },
  { load: loadDashboard, owns: ownsDashboard, ...ofAccounts },
  { load: loadSite, owns: ownsSite, ...ofAccounts, usesFiles: true },
  { load: loadStorefront, owns: ownsStorefront, ...ofAccounts, usesFiles: true },
  { load: loadAccountApi, owns: ownsAccountApi, ...ofAccounts, usesFiles: true },
  { load: async () => lemonSqueezySurface, owns: ownsLemonSqueezy, ...ofSites, envelope: lemonSqueezyEnvelope },
  { load: async () => gumroadSurface, owns: ownsGumroad, ...ofSites, envelope: gumroadEnvelope },
  { load: async () => eddSurface, owns: ownsEdd, ...ofSites, envelope: eddEnvelope },
  { load: async () => slmSurface, owns: ownsSlm, ...ofSites, envelope: slmEnvelope },
  { load: async () => licenseSurface, owns: () => true, ...ofSites },
];

/** Whether a process with this SURFACE reads or writes stored files. */
export function servesFiles(surface: Config['SURFACE']): boolean {
  return all.some(({ servedBy, usesFiles = false }) => usesFiles && servedBy.includes(surface));
}

/** Whether a process with this SURFACE serves accounts. Such a process also does the work after the answer. */
export function servesAccounts(surface: Config['SURFACE']): boolean {
  return ofAccounts.servedBy.some((one) => one === surface);
}

/**
 * Loads the modules of all surfaces and pages that a process with this SURFACE serves. Servers do so before they start: no page
 * waits for its modules, and none fails later because a file cannot be read.
 */
export async function loadSurfaces(surface: Config['SURFACE']): Promise<void> {
  const served = all.filter(({ servedBy }) => servedBy.includes(surface));
  await Promise.all([...served.map(({ load }) => load()), servesAccounts(surface) && loadNotFound()]);
}

/** Binds the surfaces that a process with this SURFACE serves, and what it checks. */
export function bindSurfaces(container: Container, surface: Config['SURFACE']): void {
  const withFiles = servesFiles(surface);
  bind(container, chosen.surfaces, ({ made }) => made, { made: listOf(all.map((one) => lazily(one, surface))) });
  bind(container, chosen.neededChecks, allOf, {
    database: databaseChecks,
    ...(withFiles && { files: chosen.fileChecks }),
  });
  bind(container, chosen.warnings, allOf, {
    limiter: limiterWarnings,
    database: chosen.databaseWarnings,
    ...(withFiles && { files: chosen.fileWarnings }),
  });
  if (servesAccounts(surface))
    bind(container, chosen.sendNotFound, ({ make }) => toBrowsers(madeAtFirstCall(make)), {
      make: loadedLater(loadNotFound),
    });
  else give(container, chosen.sendNotFound, async () => false);
}

/** Programs get the failure of the surface: no page is made for them. */
function toBrowsers(send: (ctx: Context) => Promise<void>): SendNotFound {
  return async (ctx) => {
    if (!asksForPage(ctx)) return false;
    await send(ctx);
    return true;
  };
}

/** Stands for a surface that this process does not serve. All its calls fail with `not_found`. */
const closed = part(
  ({ limit, clientAddress }): OwnSurface => ({
    name: 'closed',
    endpoints: [],
    quotaOf: perAddress('pages', clientAddress, limit),
  }),
  { limit: chosen.setting('RATE_LIMIT_PAGES'), clientAddress },
);

async function served(
  { load, envelope, servedBy, url }: ServedSurface,
  surface: Config['SURFACE'],
): Promise<Part<Surface>> {
  return part(
    ({ config, own }) => ({
      ...own,
      envelope,
      headers: { ...transportHeaders(config[url], config.HSTS_INCLUDE_SUBDOMAINS), ...(own.headers ?? apiHeaders) },
    }),
    { config: chosen.config, own: servedBy.includes(surface) ? await load() : closed },
  );
}

function lazily(one: ServedSurface, surface: Config['SURFACE']): Part<LazySurface> {
  const { owns, envelope, atStart = false } = one;
  return part(({ make }) => ({ owns, envelope, atStart, make }), { make: loadedLater(() => served(one, surface)) });
}

function allOf(checks: Readonly<Record<string, Readiness['checks']>>): Readiness['checks'] {
  return Object.assign({}, ...Object.values(checks));
}
