import { z } from 'zod';
import type { Uses } from '../../../core/licensing/clients/uses.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { Addresses } from '../addresses.ts';
import { readParameters } from '../body.ts';
import type { GumroadOperation } from '../counted-as.ts';
import { check } from '../input.ts';
import type { Context } from '../state.ts';
import { type Endpoint, isUnder } from '../surface.ts';
import { refusalOf, renderUse } from './answers.ts';

export const ownsGumroad = (path: string) => isUnder(path, '/v2/licenses');

/** Longer values name no product or license. */
const longest = 2048;

const text = (name: string) =>
  z
    .string(`The '${name}' parameter must be a string.`)
    .transform((value) => value.trim().slice(0, longest))
    .nullish()
    .transform((value) => value ?? '');

const sent = z.object({
  license_key: text('license_key'),
  product_id: text('product_id'),
  product_permalink: text('product_permalink'),
  // Old clients name the permalink so.
  link_id: text('link_id'),
  id: text('id'),
  increment_uses_count: z.unknown().optional(),
});

interface GumroadPorts {
  readonly uses: Uses;
  readonly addresses: Pick<Addresses, 'publicPage'>;
}

/** The verification of licenses as Gumroad has it, for clients whose seller has moved here. No key of an account is needed there. */
export function gumroadEndpoints({ uses, addresses }: GumroadPorts): Endpoint[] {
  async function respond(ctx: Context): Promise<void> {
    const parameters = await readParameters(ctx);
    if (typeof parameters.license_key === 'string') ctx.state.licenseKey = parameters.license_key;
    const { body } = check<undefined, undefined, z.output<typeof sent>>(
      { body: sent },
      { query: {}, body: parameters },
    );
    const answer = await uses.verify({
      licenseKey: body.license_key,
      productId: body.product_id,
      permalink: body.id || body.link_id || body.product_permalink,
      isUse: body.increment_uses_count !== false && body.increment_uses_count !== 'false',
    });
    const refused = isRefused(answer) ? answer : answer.refused;
    if (refused) {
      ctx.state.refused = refused.reason;
      [ctx.status, ctx.body] = refusalOf(refused.reason);
    } else if (!isRefused(answer)) ctx.body = renderUse(answer, addresses);
  }
  return [{ id: 'gumroadVerify' satisfies GumroadOperation, method: 'post', paths: ['/v2/licenses/verify'], respond }];
}
