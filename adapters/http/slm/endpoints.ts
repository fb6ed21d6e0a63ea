import type { SlmDomains } from '../../../core/licensing/clients/slm-domains.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isRefused } from '../../../core/refusal.ts';
import { readTexts } from '../body.ts';
import type { ClientAddress } from '../client-address.ts';
import type { SlmOperation } from '../counted-as.ts';
import { meaningsOf } from '../encoded-twice.ts';
import { Failure, forNow } from '../failures.ts';
import type { Context } from '../state.ts';
import { type Endpoint, isUnder, refuseHead } from '../surface.ts';
import { done, refusalOf, refusedAs, renderCheck, withoutSecret } from './answers.ts';

/** Clients call the address of a site, with what they want as a parameter. */
const path = '/slm';

export const ownsSlm = (asked: string) => isUnder(asked, path);

const operations: ReadonlyMap<string, SlmOperation> = new Map([
  ['slm_activate', 'slmActivate'],
  ['slm_check', 'slmCheck'],
  ['slm_deactivate', 'slmDeactivate'],
]);

interface SlmPorts {
  readonly domains: SlmDomains;
  readonly clock: Clock;
  readonly clientAddress: ClientAddress;
  /** Counts the call as one of this operation, and throws if it exceeds the limit. Only the body says what is asked. */
  count(ctx: Context, operation: SlmOperation): Promise<void>;
}

/** The API of Software License Manager, for clients whose seller has moved here. No key of an account is needed there. */
export function slmEndpoints({ domains, clock, clientAddress, count }: SlmPorts): Endpoint[] {
  async function respond(ctx: Context): Promise<void> {
    refuseHead(ctx, 'GET, POST');
    const sent = await readTexts(ctx);
    const operation = operations.get(sent.slm_action ?? '');
    if (operation === undefined) throw new Failure('bad_request', { detail: unknownAction(sent.slm_action) });
    ctx.state.endpoint = operation;
    const { license_key: licenseKey = '', secret_key: secretKey = '', registered_domain: domain = '' } = sent;
    const { item_reference: reference = '' } = sent;
    if (licenseKey) ctx.state.licenseKey = licenseKey;
    await count(ctx, operation);
    if (secretKey === '') {
      ctx.state.refused = 'validation_error';
      ctx.body = withoutSecret;
      return;
    }
    const references = reference === '' ? [] : meaningsOf(reference);
    const asked = { licenseKey, secretKey, references, domain, from: clientAddress(ctx.req) };
    ctx.body = operation === 'slmCheck' ? await check(asked, ctx) : await change(operation, asked, ctx);
  }

  type Asked = Parameters<SlmDomains['check']>[0];

  async function check(asked: Asked, { state }: Context): Promise<object> {
    const found = await domains.check(asked);
    if (!isRefused(found)) return renderCheck(found, clock.now());
    state.refused = refusedAs(found.reason);
    return refusalOf(found, asked.domain);
  }

  async function change(operation: keyof typeof done, asked: Asked, { state }: Context): Promise<object> {
    const answer = await (operation === 'slmActivate' ? domains.activate(asked) : domains.deactivate(asked));
    const refused = isRefused(answer) ? answer : answer.refused;
    if (refused === undefined) return done[operation];
    // No client may take this for the end of its license.
    if (refused.reason === 'rate_limit_exceeded') throw forNow({ ...refused, reason: refused.reason });
    state.refused = refusedAs(refused.reason);
    return refusalOf(refused, asked.domain);
  }

  return (['get', 'post'] as const).map((method) => ({ id: `slm-${method}`, method, paths: [path], respond }));
}

function unknownAction(action = ''): string {
  return action === 'slm_create_new'
    ? 'Licenses are not made here with slm_create_new: use the account API.'
    : 'The parameter slm_action is unknown.';
}
