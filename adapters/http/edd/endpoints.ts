import type { SiteUpdates } from '../../../core/licensing/clients/site-updates.ts';
import type { Sites } from '../../../core/licensing/clients/sites.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { readTexts, type Texts } from '../body.ts';
import type { ClientAddress } from '../client-address.ts';
import type { EddOperation } from '../counted-as.ts';
import { Failure, forNow } from '../failures.ts';
import type { Context } from '../state.ts';
import { type Endpoint, isUnder, refuseHead } from '../surface.ts';
import { answerOf, type LicenseCall, refusedAs } from './answers.ts';
import { mostProducts, productsIn, siteIn } from './parameters.ts';
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
  readonly updates: Pick<SiteUpdates, 'latest' | 'known'>;
  readonly clientAddress: ClientAddress;
  /** Counts the call as one of this operation, and throws if it exceeds the limit. Only the body says what is asked. */
  count(ctx: Context, operation: EddOperation): Promise<void>;
}

/** The API of EDD Software Licensing, for clients whose seller has moved here. No key of an account is needed there. */
export function eddEndpoints({ sites, updates, clientAddress, count, ...tools }: EddPorts): Endpoint[] {
  const calls = { eddActivate: sites.activate, eddCheck: sites.check, eddDeactivate: sites.deactivate };

  async function answerLicense(call: LicenseCall, sent: Texts, ctx: Context): Promise<object> {
    const done = await calls[call]({ ...siteIn(sent, ctx), from: clientAddress(ctx.req) });
    const [license, refused] = isRefused(done) ? [undefined, done] : [done.license, done.refused];
    note(ctx, refused);
    // No client may take this for the end of its license.
    if (refused?.reason === 'rate_limit_exceeded') throw forNow({ ...refused, reason: refused.reason });
    return answerOf(call, license, refused?.reason, sent);
  }

  async function answerVersion(sent: Texts, ctx: Context): Promise<object> {
    const site = siteIn(sent, ctx);
    if (site.licenseKey === '' && site.item.id !== undefined) {
      const known = await updates.known(site.item.id);
      return known ? await renderUpdate({ ...known, refused: { detail: noKey } }, sent, tools) : noVersion(noProduct);
    }
    const found = await updates.latest({ ...site, installed: sent.version ?? '' });
    if (!isRefused(found)) {
      note(ctx, found.refused);
      return await renderUpdate({ ...found, product: found.license.product }, sent, tools);
    }
    note(ctx, found);
    return noVersion(noLicense);
  }

  /** One after the other, and each is a call for the limit: so several cost no more than single calls. */
  async function answerVersions(products: ReadonlyMap<string, Texts>, ctx: Context): Promise<object> {
    if (products.size === 0) return { msg: 'No item provided' };
    if (products.size > mostProducts) throw new Failure('bad_request', { detail: tooMany });
    const answers: [name: string, answer: object][] = [];
    for (const [name, sent] of products) {
      if (answers.length > 0) await count(ctx, 'eddVersion');
      answers.push([name, await answerVersion(sent, ctx)]);
    }
    return Object.fromEntries(answers);
  }

  async function respondMetadata(ctx: Context): Promise<void> {
    refuseHead(ctx, 'GET');
    const sent = await readTexts(ctx);
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
    ctx.body = await renderMetadata(found, version, tools);
  }

  async function respond(ctx: Context): Promise<void> {
    refuseHead(ctx, 'GET, POST');
    const sent = await readTexts(ctx);
    const operation = operations.get(sent.edd_action ?? '');
    if (operation === undefined) throw new Failure('bad_request', { detail: 'The parameter edd_action is unknown.' });
    ctx.state.endpoint = operation;
    if (sent.license) ctx.state.licenseKey = sent.license;
    await count(ctx, operation);
    if (operation !== 'eddVersion') ctx.body = await answerLicense(operation, sent, ctx);
    else {
      const products = productsIn(sent);
      ctx.body = products ? await answerVersions(products, ctx) : await answerVersion(sent, ctx);
    }
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
const noKey = 'No license key was sent.';
const noProduct = 'No product that is public here has this item_id.';
const tooMany = `At most ${mostProducts} products can be asked for at once.`;
