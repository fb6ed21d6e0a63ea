import type { SiteUpdates } from '../../../core/licensing/site-updates.ts';
import type { Sites } from '../../../core/licensing/sites.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import type { EddOperation } from '../counted-as.ts';
import { Failure } from '../failures.ts';
import type { Context } from '../state.ts';
import { type Endpoint, isUnder } from '../surface.ts';
import { answerOf, type LicenseCall, refusedAs } from './answers.ts';
import { type Sent, sentIn, siteIn } from './parameters.ts';
import { noVersion, renderMetadata, renderUpdate, type VersionTools } from './version.ts';

/** Clients call the address of a store, with what they want as a parameter. */
const path = '/edd';

export const ownsEdd = (asked: string) => isUnder(asked, path);

const operations: ReadonlyMap<string, LicenseCall | 'eddVersion'> = new Map([
  ['activate_license', 'eddActivate'],
  ['check_license', 'eddCheck'],
  ['deactivate_license', 'eddDeactivate'],
  ['get_version', 'eddVersion'],
]);

interface EddPorts extends VersionTools {
  readonly sites: Sites;
  readonly updates: Pick<SiteUpdates, 'latest'>;
  /** Counts the call as one of this operation, and throws if it exceeds the limit. Only the body says what is asked. */
  count(ctx: Context, operation: EddOperation): Promise<void>;
}

/** The API of EDD Software Licensing, for clients whose seller has moved here. No key of an account is needed there. */
export function eddEndpoints({ sites, updates, count, ...tools }: EddPorts): Endpoint[] {
  const calls = { eddActivate: sites.activate, eddCheck: sites.check, eddDeactivate: sites.deactivate };

  async function answerLicense(call: LicenseCall, sent: Sent, ctx: Context): Promise<object> {
    const done = await calls[call](siteIn(sent, ctx));
    const [license, refused] = isRefused(done) ? [undefined, done] : [done.license, done.refused];
    note(ctx, refused);
    return answerOf(call, license, refused?.reason, sent);
  }

  async function answerVersion(sent: Sent, ctx: Context): Promise<object> {
    const found = await updates.latest({ ...siteIn(sent, ctx), installed: sent.version ?? '' });
    if (!isRefused(found)) {
      note(ctx, found.refused);
      return await renderUpdate(found, sent, tools);
    }
    note(ctx, found);
    return noVersion(noLicense);
  }

  async function respondMetadata(ctx: Context): Promise<void> {
    refuseHead(ctx, 'GET');
    const sent = await sentIn(ctx);
    ctx.state.endpoint = 'eddMetadata' satisfies EddOperation;
    if (sent.license) ctx.state.licenseKey = sent.license;
    await count(ctx, 'eddMetadata');
    const { licenseKey, site } = siteIn(sent, ctx);
    const item = { slug: ctx.params.slug, id: undefined, names: [] };
    const found = await updates.latest({ licenseKey, item, site, installed: sent.installed_version ?? '' });
    if (isRefused(found)) throw new Failure('not_found', { detail: noLicense });
    const { version, refused } = found;
    if (version === undefined) throw new Failure('not_found', { detail: refused?.detail });
    note(ctx, refused);
    ctx.body = await renderMetadata({ ...found, version }, tools);
  }

  async function respond(ctx: Context): Promise<void> {
    refuseHead(ctx, 'GET, POST');
    const sent = await sentIn(ctx);
    const operation = operations.get(sent.edd_action ?? '');
    if (operation === undefined) throw new Failure('bad_request', { detail: 'The parameter edd_action is unknown.' });
    ctx.state.endpoint = operation;
    if (sent.license) ctx.state.licenseKey = sent.license;
    await count(ctx, operation);
    ctx.body = operation === 'eddVersion' ? await answerVersion(sent, ctx) : await answerLicense(operation, sent, ctx);
  }

  return [
    ...(['get', 'post'] as const).map((method) => ({ id: `edd-${method}`, method, paths: [path], respond })),
    { id: 'edd-metadata', method: 'get', paths: [`${path}/:slug/info.json`], respond: respondMetadata },
  ];
}

/** Notes for metrics and logs that a call was refused. */
function note({ state }: Context, refused: Refused<Parameters<typeof refusedAs>[0]> | undefined): void {
  const reason = refused && refusedAs(refused.reason);
  if (reason !== undefined) state.refused = reason;
}

const noLicense = 'No license that may get updates here has this key.';

/** What only looks must change nothing, and these calls activate and count. */
function refuseHead({ method }: Context, Allow: string): void {
  if (method === 'HEAD') throw new Failure('method_not_allowed', { headers: { Allow } });
}
