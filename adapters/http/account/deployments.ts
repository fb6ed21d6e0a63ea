import { z } from 'zod';
import { features, tierNames } from '../../../core/accounts/tier.ts';
import type { Deployments } from '../../../core/deployments/deployments.ts';
import { missingOr, present, text } from '../fields.ts';
import { type AccountTools, accountRoute, type Route, type Tag } from '../route.ts';

const chainId = z
  .int(missingOr('It must be a whole number.'))
  .positive('It must be a positive number.')
  .meta({ description: 'The chain id, as in EIP-155.', example: 11155111 });
const hex = (digits: number) =>
  present.regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`), `It must be 0x and ${digits} hexadecimal digits.`);

const preflight = z.discriminatedUnion('allowed', [
  z.object({ allowed: z.literal(true) }).meta({ title: 'allowed' }),
  z
    .object({
      allowed: z.literal(false),
      reason: z.string().meta({ example: 'Deploying to Ethereum (chain id 1) requires the pro plan.' }),
      tier_required: z.enum(tierNames).meta({ example: features.mainnet_deploy.needs }),
    })
    .meta({ title: 'blocked' }),
]);

const tag: Tag = {
  name: 'Deployments',
  description: 'Checks before a deployment, and records of finished ones.',
};

export function deploymentRoutes(tools: AccountTools, deployments: Deployments): Route[] {
  return [
    accountRoute(tools, {
      id: 'preflight',
      tag,
      summary: "Checks if the caller's tier allows deployment to a chain",
      method: 'post',
      paths: ['/api/deploy/preflight'],
      scope: 'deployments:write',
      body: z.object({ chain: text(100).optional().meta({ example: 'sepolia' }), chain_id: chainId }),
      answer: preflight,
      refusals: [],
      async handle({ caller, body }): Promise<z.output<typeof preflight>> {
        const refused = deployments.preflight(caller, body.chain_id);
        if (refused === undefined) return { allowed: true };
        return {
          allowed: false,
          reason: refused.detail ?? refused.reason,
          tier_required: features.mainnet_deploy.needs,
        };
      },
    }),
    accountRoute(tools, {
      id: 'register',
      tag,
      summary: 'Records a finished deployment',
      description: 'Recording the same transaction on the same chain again changes nothing.',
      method: 'post',
      paths: ['/api/deploy/register'],
      scope: 'deployments:write',
      isIdempotent: true,
      body: z.object({
        chain: text(100).meta({ example: 'sepolia' }),
        chain_id: chainId,
        address: hex(40).meta({ example: `0x${'5f'.repeat(20)}` }),
        tx_hash: hex(64).meta({ example: `0x${'a1'.repeat(32)}` }),
        template_id: text(200).nullish().meta({ description: 'The slug of the template.', example: 'simple-dex' }),
      }),
      answer: z.object({ success: z.literal(true) }),
      refusals: [],
      async handle({ caller, body }) {
        await deployments.register(caller, {
          chain: body.chain,
          chainId: body.chain_id,
          address: body.address,
          txHash: body.tx_hash,
          templateReference: body.template_id ?? null,
        });
        return { success: true };
      },
    }),
  ];
}
