import { z } from 'zod';
import { iso } from '../../../core/iso.ts';
import type { DeploymentGroup } from '../../../core/ports/deployment-figures.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import {
  type FiguresRefused,
  figureLimits,
  groupings,
  type SoldDeployments,
} from '../../../core/selling/deployment-figures.ts';
import { rangeLimits, sentToAccount } from '../failures.ts';
import { isoOrNull, text, timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, expectAnswer, fileRoute, type Route } from '../route.ts';
import { sendText } from '../send-file.ts';
import { tag } from './deployments.ts';
import { faultIn, sellerOf } from './seller.ts';
import { rangeFields } from './usage.ts';

const group = z
  .object({
    day: timestamp.nullable().meta({ description: 'By day: its start in UTC.' }),
    chain_id: z
      .int()
      .nullable()
      .meta({ description: 'By chain. Null also stands for the chains that were not counted apart.', example: 8453 }),
    template_id: z.int().nullable().meta({
      description: 'By template. Null also stands for deployments that name no template of this server.',
      example: null,
    }),
    version: z.string().nullable().meta({ description: 'By release: the version of the product.', example: null }),
    title: z
      .string()
      .nullable()
      .meta({ description: 'The title of the template, or of the product of the release.', example: null }),
    account: z
      .int()
      .nullable()
      .meta({ description: 'By account: the number of the one that reported them.', example: null }),
    reported: z.int().meta({ example: 120 }),
    confirmed: z.int().meta({ description: 'Those of them that are confirmed.', example: 96 }),
    first_at: timestamp.meta({ description: 'When the first of them was reported; of a chain, the day.' }),
    last_at: timestamp.meta({ description: 'When the last of them was reported; of a chain, the day.' }),
  })
  .meta({ id: 'AccountDeploymentGroup' });

const query = z.object({
  by: z
    .enum(groupings, `It must be one of ${groupings.join(', ')}.`)
    .default('day')
    .meta({ description: 'What each item sums; `day` by default.', example: 'chain' }),
  product: text(200)
    .optional()
    .meta({ description: 'Only of the template of this product: id or slug.', example: 'simple-dex' }),
  ...rangeFields,
});

const csv = {
  mediaType: 'text/csv',
  example: [
    'day,chain,chain_id,template_id,title,version,account,reported,confirmed,first_at,last_at',
    ',Base,8453,,,,,120,96,2026-11-01T00:00:00Z,2026-11-21T00:00:00Z',
    '',
  ].join('\r\n'),
};

/** The figures of deployments for sellers and administrators. */
export function deploymentFigureRoutes(tools: AccountTools, { figures, exportFigures }: SoldDeployments): Route[] {
  return [
    accountRoute(tools, {
      id: 'deployment-figures',
      tag,
      summary: 'Sums the deployments of the templates of your products; for administrators, of all',
      description: `In the mode of the key. By day and by chain, those reported in a range of days, and only days and chains with deployments; by the others, all that are kept, the ${figureLimits.groups} largest. They are counted within some minutes. ${rangeLimits} Accounts are summed for one template: name its product, if you sell several. Of a seller, ${figureLimits.templates} templates are summed.`,
      method: 'get',
      paths: ['/api/deployments/figures'],
      scope: 'marketplace:read',
      query,
      answer: z.object({ success: z.literal(true), data: z.array(group) }),
      refusals: ['not_found', 'validation_error'],
      async handle({ caller, query }) {
        const found = await figures(query, sellerOf(caller));
        if (!isRefused(found)) return { success: true as const, data: found.map(renderGroup) };
        return ofProduct(found);
      },
    }),
    fileRoute({
      id: 'export-deployment-figures',
      tag,
      summary: 'Returns the sums of deployments as a CSV file',
      description: 'The items of `GET /api/deployments/figures`, one a line.',
      method: 'get',
      paths: ['/api/deployments/figures/export'],
      scope: 'marketplace:read',
      query,
      answer: z.string(),
      answerFile: { ...csv, description: 'The sums.' },
      refusals: ['not_found', 'validation_error'],
      async send(ctx, { caller, query }) {
        const file = await exportFigures(query, sellerOf(caller));
        const text = expectAnswer(isRefused(file) ? sentToAccount(ofProduct(file)) : file);
        await sendText(ctx, text, { mediaType: csv.mediaType, filename: `deployments-by-${query.by}.csv` });
      },
    }),
  ];
}

/** `product_needed` is about a parameter of these calls. */
function ofProduct({ reason, ...rest }: Refused<FiguresRefused>): Refused<Exclude<FiguresRefused, 'product_needed'>> {
  if (reason === 'product_needed') throw faultIn('product', { reason, ...rest });
  return { ...rest, reason };
}

function renderGroup({ chainId, templateId, version, title, userId, ...one }: DeploymentGroup): z.output<typeof group> {
  return {
    ...{ day: isoOrNull(one.day), chain_id: chainId, template_id: templateId, version, title, account: userId },
    ...{ reported: one.reported, confirmed: one.confirmed },
    ...{ first_at: iso(one.firstAt), last_at: iso(one.lastAt) },
  };
}
