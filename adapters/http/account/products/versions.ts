import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { isVersionNumber, type ProductVersion, versionLimits } from '../../../../core/marketplace/product-version.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { notOneText, optionalText, text, timestamp } from '../../fields.ts';
import { accountRoute, type Route, rendered } from '../../route.ts';
import { renderProduct } from '../marketplace/product.ts';
import { sellerOf } from '../seller.ts';
import { answerWithProduct, oneProduct, type ProductTools, params, reading, writing } from './product.ts';

const versionItem = z
  .object({
    number: z.string().meta({ example: '1.2.0' }),
    notes: z.string().meta({ description: 'What is new.', example: 'Works with Base.' }),
    size: z.int().nullable().meta({ description: 'Bytes of the zip. Null if unknown.', example: 18_422 }),
    created_at: timestamp,
    for_everybody: z
      .boolean()
      .meta({ description: 'Whether licenses whose updates have ended may fetch it too.', example: false }),
  })
  .meta({ id: 'AccountProductVersion' });

/** The versions of a product, and its other files. */
export function fileRoutes({ tools, products, addresses }: ProductTools): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-versions',
      ...reading,
      summary: 'Lists the versions of a product, newest first',
      method: 'get',
      paths: ['/api/products/:id/versions'],
      params,
      query: z.object(pageQuery),
      answer: pageOf(versionItem),
      refusals: ['not_found'],
      handle: ({ caller, params, query: { cursor: after, limit } }) =>
        rendered(products.versions(params.id, { after, limit }, sellerOf(caller)), (found) =>
          pageAnswer(found.versions.map(renderVersion), found.next),
        ),
    }),
    accountRoute(tools, {
      id: 'add-version',
      ...writing,
      summary: 'Uploads a new version of a product',
      description:
        'Buyers download the newest version. If this server reviews every new zip (`REVIEW=every`), a published product waits for approval again.',
      method: 'post',
      paths: ['/api/products/:id/versions'],
      isIdempotent: true,
      params,
      form: {
        fields: z.object({
          number: z
            .string({ error: notOneText })
            .trim()
            .refine(
              (value) => value === '' || isVersionNumber(value),
              `It must have at most ${versionLimits.number} letters, digits and signs (. + _ -), such as 1.2.0.`,
            )
            .optional()
            .meta({ description: 'Its number; by default the next whole number.', example: '1.2.0' }),
          notes: optionalText(versionLimits.notes).meta({ description: 'What is new.', example: 'Works with Base.' }),
          for_everybody: z.enum(['true', 'false'], 'It must be true or false.').optional().meta({
            description:
              '`true`: licenses whose updates have ended may fetch it too, such as one that closes a security hole.',
            example: 'false',
          }),
        }),
        files: { product_zip: { kinds: ['zip'], description: 'The product.' } },
      },
      answer: oneProduct.extend({ version: versionItem }),
      refusals: ['not_found', 'conflict', 'quota_exceeded'],
      room: (caller, bytes, { id = '' }) => products.room(id, bytes, sellerOf(caller)),
      async handle({ caller, params, body, files }) {
        const isForEverybody = body.for_everybody === 'true';
        const facts = { number: body.number || undefined, notes: body.notes ?? '', isForEverybody };
        const added = await products.addVersion(params.id, facts, files.product_zip, sellerOf(caller));
        if (isRefused(added)) return added;
        const product = await renderProduct(added.product, addresses);
        return { success: true as const, product, version: renderVersion(added.version) };
      },
    }),
    accountRoute(tools, {
      id: 'delete-version',
      ...writing,
      summary: 'Deletes a version of a product',
      description:
        'The newest version cannot be deleted, and no version that was the newest when somebody bought the product, unless that order was refunded in full. Its zip is deleted a day or two later, and then no longer counts for the storage of the account.',
      method: 'delete',
      paths: ['/api/products/:id/versions/:version'],
      params: params.extend({
        version: text(versionLimits.number).meta({ description: 'The number of the version.', example: '1.1.0' }),
      }),
      answer: oneProduct,
      refusals: ['not_found', 'conflict'],
      handle: async ({ caller, params }) =>
        await answerWithProduct(await products.deleteVersion(params.id, params.version, sellerOf(caller)), addresses),
    }),
    accountRoute(tools, {
      id: 'set-thumbnail',
      ...writing,
      summary: 'Uploads another thumbnail of a product',
      description:
        'If this server reviews every new thumbnail (`REVIEW=every`), a published product waits for approval again.',
      method: 'post',
      paths: ['/api/products/:id/thumbnail'],
      isIdempotent: true,
      params,
      form: {
        fields: z.object({}),
        files: { thumbnail: { kinds: ['png', 'jpg'], description: 'A PNG or JPG image.', isShown: true } },
      },
      answer: oneProduct,
      refusals: ['not_found', 'conflict', 'quota_exceeded'],
      room: (caller, bytes, { id = '' }) => products.room(id, bytes, sellerOf(caller)),
      handle: async ({ caller, params, files }) =>
        await answerWithProduct(await products.setThumbnail(params.id, files.thumbnail, sellerOf(caller)), addresses),
    }),
    accountRoute(tools, {
      id: 'download-product',
      ...reading,
      summary: 'Returns a link to the zip of the newest version, or of a given one',
      description: 'The link expires after a while.',
      method: 'get',
      paths: ['/api/products/:id/download'],
      params,
      query: z.object({
        version: text(versionLimits.number)
          .optional()
          .meta({ description: 'The number of a version.', example: '1.2.0' }),
      }),
      answer: z.object({
        url: z.url().meta({
          example:
            'https://api.example.com/files/products/1f0c.zip?filename=uniswap-style-dex-1.2.0.zip&expires=1795253460&signature=kq3v',
        }),
        filename: z.string().meta({ example: 'uniswap-style-dex-1.2.0.zip' }),
      }),
      refusals: ['not_found'],
      handle: ({ caller, params, query }) => products.download(params.id, query.version, sellerOf(caller)),
    }),
  ];
}

function renderVersion({
  number,
  notes,
  size,
  createdAt,
  isForEverybody = false,
}: ProductVersion): z.output<typeof versionItem> {
  return { number, notes, size, created_at: iso(createdAt), for_everybody: isForEverybody };
}
