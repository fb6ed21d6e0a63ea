import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { ForeignAnswer, Instances } from '../../../core/licensing/clients/instances.ts';
import { longestInstanceName } from '../../../core/licensing/instance.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { readParameters } from '../body.ts';
import type { ClientAddress } from '../client-address.ts';
import type { LemonSqueezyOperation } from '../counted-as.ts';
import { licenseKey, present, text } from '../fields.ts';
import { check } from '../input.ts';
import { type Endpoint, isUnder } from '../surface.ts';
import type { Flag } from './answers.ts';
import { answerOf, envelopeOf } from './answers.ts';

export const ownsLemonSqueezy = (path: string) => isUnder(path, '/v1/licenses');

/** The form of failures of paths without an endpoint. */
export const lemonSqueezyEnvelope = envelopeOf('valid');

const instanceId = present.max(longestInstanceName, `It must have at most ${longestInstanceName} characters.`);

/** The License API of Lemon Squeezy, for clients whose seller has moved here. No key of an account is needed there. */
export function lemonSqueezyEndpoints(
  { activate, validate, deactivate }: Instances,
  clientAddress: ClientAddress,
): Endpoint[] {
  return [
    endpoint('lemonsqueezyActivate', 'activated', {
      path: '/v1/licenses/activate',
      parameters: z.object({ license_key: licenseKey, instance_name: text(longestInstanceName) }),
      handle: (given, request) => activate(given.license_key, given.instance_name.trim(), clientAddress(request)),
    }),
    endpoint('lemonsqueezyValidate', 'valid', {
      path: '/v1/licenses/validate',
      parameters: z.object({ license_key: licenseKey, instance_id: instanceId.nullish() }),
      // Clients that have no instance yet often send an empty one.
      handle: (given) => validate(given.license_key, given.instance_id || undefined),
    }),
    endpoint('lemonsqueezyDeactivate', 'deactivated', {
      path: '/v1/licenses/deactivate',
      parameters: z.object({ license_key: licenseKey, instance_id: instanceId }),
      handle: (given, request) => deactivate(given.license_key, given.instance_id, clientAddress(request)),
    }),
  ];
}

function endpoint<Parameters extends { readonly license_key: string }>(
  id: LemonSqueezyOperation,
  flag: Flag,
  declaration: {
    readonly path: string;
    readonly parameters: z.ZodType<Parameters>;
    handle(given: Parameters, request: IncomingMessage): Promise<ForeignAnswer | Refused<'invalid_key'>>;
  },
): Endpoint {
  return {
    id,
    method: 'post',
    paths: [declaration.path],
    envelope: envelopeOf(flag),
    async respond(ctx) {
      const sent = await readParameters(ctx);
      if (typeof sent.license_key === 'string') ctx.state.licenseKey = sent.license_key;
      const { body } = check<undefined, undefined, Parameters>(
        { body: declaration.parameters },
        { query: {}, body: sent },
      );
      const done = await declaration.handle(body, ctx.req);
      const refused = isRefused(done) ? done : done.refused;
      if (refused) ctx.state.refused = refused.reason === 'instance_not_found' ? 'not_found' : refused.reason;
      [ctx.status, ctx.body] = answerOf(flag, isRefused(done) ? undefined : done);
    },
  };
}
