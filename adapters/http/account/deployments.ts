import { z } from 'zod';
import { features, tierNames } from '../../../core/accounts/tier.ts';
import { explorerPage } from '../../../core/deployments/chains.ts';
import { deploymentStates } from '../../../core/deployments/deployment-state.ts';
import type { Deployments } from '../../../core/deployments/deployments.ts';
import { iso } from '../../../core/iso.ts';
import type { CheckedDeployment } from '../../../core/ports/deployment-checks.ts';
import { pageAnswer, pageOf, pageQuery } from '../cursor.ts';
import { isoOrNull, missingOr, present, text, timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, fileRoute, type Route, rendered, type Tag } from '../route.ts';
import { sendText } from '../send-file.ts';

const chainId = z
  .int(missingOr('It must be a whole number.'))
  .positive('It must be a positive number.')
  .meta({ description: 'The chain id, as in EIP-155.', example: 11155111 });
const pattern = (digits: number) => `0x[0-9a-fA-F]{${digits}}`;
const hex = (digits: number) =>
  present.regex(new RegExp(`^${pattern(digits)}$`), `It must be 0x and ${digits} hexadecimal digits.`);

const hash = pattern(64);
const csv = {
  mediaType: 'text/csv',
  example: [
    'id,chain,chain_id,address,tx_hash,account,template_id,template,version,state,reported_at,checked_at,block,created_at,code_hash,explorer_url',
    `12,base,8453,0x${'5f'.repeat(20)},0x${'a1'.repeat(32)},3,7,simple-dex,1.2.0,confirmed,2026-11-21T09:30:00Z,2026-11-21T09:45:00Z,38112004,2026-11-21T09:29:41Z,0x${'c5'.repeat(32)},https://basescan.org/address/0x${'5f'.repeat(20)}`,
    '',
  ].join('\r\n'),
};

/** Of a file that is sent while it is read. */
const brokenFile = 'If the connection closes before the end of the response, the file is not complete.';

/** The most transactions in one call, because an address has little room. */
const mostHashes = 20;

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

const deploymentItem = z
  .object({
    id: z.int().meta({ example: 12 }),
    livemode: z.boolean().meta({ example: true }),
    chain: z.string().meta({ description: 'As it was reported.', example: 'base' }),
    chain_id: z.int().meta({ example: 8453 }),
    address: z.string().meta({ example: `0x${'5f'.repeat(20)}` }),
    tx_hash: z.string().meta({ example: `0x${'a1'.repeat(32)}` }),
    template_id: z.int().nullable().meta({ description: 'Null: no template of this server was named.', example: 7 }),
    state: z.enum(deploymentStates).meta({
      description:
        '`unchecked`: the check is not done yet. `confirmed`: the transaction created the contract; if codes are registered for the template, it has one of them. `reverted`: the transaction failed. `not_found`: no block had the transaction for a day. `mismatch`: the contract is not there, is older, or has other code. `no_rpc`: this server cannot ask the chain.',
      example: 'confirmed',
    }),
    reported_at: timestamp,
    checked_at: timestamp.nullable(),
    block: z
      .int()
      .nullable()
      .meta({ description: 'The number of the block with the transaction.', example: 38_112_004 }),
    created_at: timestamp.nullable().meta({ description: 'The time of this block.' }),
    code_hash: z
      .string()
      .nullable()
      .meta({
        description: 'Keccak-256 of the code that runs there, without the metadata of the compiler.',
        example: `0x${'c5'.repeat(32)}`,
      }),
    version: z
      .string()
      .nullable()
      .meta({ description: 'The version of the product with this code.', example: '1.2.0' }),
    explorer_url: z
      .string()
      .nullable()
      .meta({
        description: 'A page about the contract. Null: no such site is known.',
        example: `https://basescan.org/address/0x${'5f'.repeat(20)}`,
      }),
  })
  .meta({ id: 'AccountDeployment' });

/** The parameters that narrow a list of deployments. */
const narrowed = {
  chain_id: z
    .string()
    .optional()
    .transform((value, context) => {
      if (value === undefined) return undefined;
      const number = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : 0;
      if (Number.isSafeInteger(number) && number > 0) return number;
      context.addIssue('It must be a positive whole number.');
      return z.NEVER;
    })
    .meta({ type: 'integer', minimum: 1, description: 'Only on this chain.', example: 8453 }),
  template: text(200).optional().meta({ description: 'Only of this template: id or slug.', example: 'simple-dex' }),
  state: z
    .enum(deploymentStates, `It must be one of ${deploymentStates.join(', ')}.`)
    .optional()
    .meta({
      description: 'Only in this state.',
      example: 'confirmed',
    }),
  tx_hash: z
    .string()
    .regex(
      new RegExp(`^${hash}(?:,${hash}){0,${mostHashes - 1}}$`),
      `It must be a transaction, 0x and 64 hexadecimal digits, or up to ${mostHashes} with commas in between.`,
    )
    .transform((list) => list.split(','))
    .optional()
    .meta({
      description: `Only those of this transaction, or of up to ${mostHashes} with commas in between.`,
      example: `0x${'a1'.repeat(32)}`,
    }),
  day: z.iso
    .date('It must be a day, such as 2026-11-21.')
    .transform((day) => Date.parse(day))
    .optional()
    .meta({ description: 'Only those reported on this day, in UTC.', example: '2026-11-21' }),
};

export const tag: Tag = {
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
      description:
        'Recording the same address of the same transaction on the same chain again changes nothing. A transaction can have created several contracts.',
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
    accountRoute(tools, {
      id: 'list-deployments',
      tag,
      summary: 'Lists your deployments, the last reported first',
      description:
        'Those that keys of your account and of the mode of this key have reported. Each is compared with its chain some time after the report.',
      method: 'get',
      paths: ['/api/deployments'],
      scope: 'deployments:write',
      query: z.object({
        ...pageQuery,
        ...narrowed,
      }),
      answer: pageOf(deploymentItem),
      refusals: ['validation_error'],
      handle: ({ caller, query: { chain_id: chainId, tx_hash: txHashes, cursor: after, ...query } }) =>
        rendered(deployments.list(caller, { ...query, chainId, txHashes, after }), ({ items, next }) =>
          pageAnswer(items.map(renderDeployment), next),
        ),
    }),
    fileRoute({
      id: 'export-deployments',
      tag,
      summary: 'Returns your deployments as a CSV file, the last reported first',
      description: brokenFile,
      method: 'get',
      paths: ['/api/deployments/export'],
      scope: 'deployments:write',
      query: z.object(narrowed),
      answer: z.string(),
      answerFile: { ...csv, description: 'The deployments.' },
      refusals: ['validation_error'],
      async send(ctx, { caller, query: { chain_id: chainId, tx_hash: txHashes, ...query } }) {
        const file = deployments.export(caller, { ...query, chainId, txHashes });
        await sendText(ctx, file, { mediaType: csv.mediaType, filename: 'deployments.csv' });
      },
    }),
  ];
}

function renderDeployment(deployment: CheckedDeployment): z.output<typeof deploymentItem> {
  const { id, isLive, chain, chainId, address, txHash, templateId, state, blockNumber, codeHash, release } = deployment;
  return {
    ...{ id, livemode: isLive, chain, chain_id: chainId, address, tx_hash: txHash, template_id: templateId, state },
    reported_at: iso(deployment.at),
    checked_at: isoOrNull(deployment.checkedAt),
    block: blockNumber,
    created_at: isoOrNull(deployment.createdAt),
    code_hash: codeHash,
    version: release?.version ?? null,
    explorer_url: explorerPage(chainId, 'address', address),
  };
}
