import { z } from 'zod';
import { tierNames } from '../../../core/accounts/tier.ts';
import { iso } from '../../../core/iso.ts';
import { categories, parameterTypes, type Template } from '../../../core/templates/template.ts';
import type { Templates } from '../../../core/templates/templates.ts';
import { isWithoutNul, nulFault, text, timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered, type Tag } from '../route.ts';

const item = z.object({
  id: z.int().meta({ example: 7 }),
  slug: z.string().meta({ example: 'simple-dex' }),
  title: z.string().meta({ example: 'Simple DEX' }),
  description: z.string().meta({ example: 'A decentralised exchange with one pool per pair.' }),
  category: z.enum(categories),
  tier: z.enum(tierNames).meta({ description: 'The lowest tier that sees it.' }),
  tags: z.array(z.string()).meta({ example: ['defi', 'dex'] }),
});

const listItem = item.meta({ id: 'AccountTemplate' });

const parameter = z
  .object({
    name: z.string(),
    type: z.enum(parameterTypes),
    label: z.string(),
    description: z.string(),
    required: z.boolean(),
    default: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    options: z.array(z.string()).optional().meta({ description: 'The choices of a `select`.' }),
  })
  .meta({
    id: 'AccountTemplateParameter',
    example: {
      name: 'network',
      type: 'select',
      label: 'Network',
      description: 'Where the exchange is deployed.',
      required: true,
      default: 'sepolia',
      options: ['sepolia', 'mainnet'],
    },
  });

const detail = item
  .extend({
    parameters: z.array(parameter),
    created_at: timestamp,
    download_count: z.int().meta({ description: 'The number of download links that were returned.', example: 310 }),
  })
  .meta({ id: 'AccountTemplateDetail' });

const params = z.object({
  id: text(200).meta({
    description: 'Id or slug of a template. Digits alone are always an id.',
    example: 'simple-dex',
  }),
});

const tag: Tag = {
  name: 'Templates',
  description: 'Project templates. The tier of the plan decides which ones a caller sees.',
};
const reading = { tag, scope: 'templates:read' } as const;

export function templateRoutes(tools: AccountTools, templates: Templates): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-templates',
      ...reading,
      summary: "Lists the templates that the caller's tier can see",
      method: 'get',
      paths: ['/api/templates'],
      query: z.object({
        category: z
          .string()
          .refine(isWithoutNul, nulFault)
          .optional()
          .meta({ description: 'Lists only the templates of this category.', example: 'defi-dex' }),
      }),
      answer: z.object({ templates: z.array(listItem) }),
      refusals: [],
      async handle({ caller, query }) {
        const found = await templates.list(caller, query.category || undefined);
        return { templates: found.map(renderItem) };
      },
    }),
    accountRoute(tools, {
      id: 'list-categories',
      ...reading,
      summary: 'Lists the categories of templates',
      method: 'get',
      paths: ['/api/templates/categories'],
      answer: z.object({ categories: z.array(z.enum(categories)).meta({ example: [...categories] }) }),
      refusals: [],
      handle: async () => ({ categories: [...categories] }),
    }),
    accountRoute(tools, {
      id: 'get-template',
      ...reading,
      summary: 'Returns the details of a template',
      method: 'get',
      paths: ['/api/templates/:id'],
      params,
      answer: z.object({ template: detail }),
      refusals: ['not_found'],
      handle: ({ caller, params }) =>
        rendered(templates.find(caller, params.id), (template) => ({ template: renderDetail(template) })),
    }),
    accountRoute(tools, {
      id: 'download-template',
      ...reading,
      summary: "Returns a link to a template's zip",
      description:
        'The link expires after a while. Everybody may download free templates. Other templates must be bought first.',
      method: 'get',
      paths: ['/api/templates/:id/download'],
      params,
      answer: z.object({
        url: z.url().meta({
          example:
            'https://api.example.com/files/templates/1f0c.zip?filename=simple-dex.zip&expires=1795253460&signature=kq3v',
        }),
        filename: z.string().meta({ example: 'simple-dex.zip' }),
      }),
      refusals: ['not_found', 'not_purchased', 'purchase_check_failed'],
      handle: ({ caller, params }) => templates.download(caller, params.id),
    }),
  ];
}

function renderItem({ id, slug, title, description, category, tier, tags }: Template): z.output<typeof listItem> {
  return { id, slug, title, description, category, tier, tags: [...tags] };
}

function renderDetail(template: Template): z.output<typeof detail> {
  return {
    ...renderItem(template),
    parameters: template.parameters.map(({ options, ...parameter }) => ({
      ...parameter,
      ...(options && { options: [...options] }),
    })),
    created_at: iso(template.createdAt),
    download_count: template.downloadCount,
  };
}
