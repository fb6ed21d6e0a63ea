import { z } from 'zod';
import { fileKinds } from '../../../../core/marketplace/checked-file.ts';
import type { Marketplace } from '../../../../core/marketplace/marketplace.ts';
import { type Listing, listingLimits, parsePrice } from '../../../../core/marketplace/product.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { Addresses } from '../../addresses.ts';
import { isWithoutNul, notOneText, nulFault, optionalText, present, trimmed } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { marketplaceUrl, productItem, renderProduct, tag } from './product.ts';

/** A number in a query, from 1 to `most`. A missing or invalid number becomes `fallback`. */
const counting = (fallback: number, most: number) =>
  z
    .string()
    .optional()
    .transform((value) => {
      const number = value === undefined ? fallback : /^-?\d+$/.test(value) ? Number(value) : fallback;
      return Math.min(Math.max(number, 1), most);
    })
    .meta({ type: 'integer', minimum: 1, maximum: most });

/** In the order of the API reference. */
export function marketplaceRoutes(tools: AccountTools, marketplace: Marketplace, addresses: Addresses): Route[] {
  return [
    publish(tools, marketplace, addresses),
    accountRoute(tools, {
      id: 'my-products',
      tag,
      summary: "Lists the caller's products, newest first",
      method: 'get',
      paths: ['/api/marketplace/my-products'],
      scope: 'marketplace:read',
      query: z.object({
        page: counting(1, 1_000_000).meta({ description: 'Page number, starting at 1; 1 by default.', example: 1 }),
        per_page: counting(15, 100).meta({ description: 'Items on a page; 15 by default.', example: 15 }),
      }),
      answer: z.object({
        success: z.literal(true),
        data: z.array(productItem),
        current_page: z.int(),
        last_page: z.int().meta({ description: 'At least 1.' }),
        per_page: z.int().meta({ example: 15 }),
        total: z.int(),
      }),
      refusals: [],
      async handle({ caller, query }) {
        const { items, total } = await marketplace.own(caller, query.page, query.per_page);
        return {
          success: true,
          data: await Promise.all(items.map((product) => renderProduct(product, addresses))),
          current_page: query.page,
          last_page: Math.max(1, Math.ceil(total / query.per_page)),
          per_page: query.per_page,
          total,
        };
      },
    }),
    accountRoute(tools, {
      id: 'upload',
      tag,
      summary: 'Uploads a zip or an image for use in a listing',
      method: 'post',
      paths: ['/api/marketplace/upload'],
      scope: 'marketplace:write',
      isIdempotent: true,
      form: {
        fields: z.object({}),
        files: { file: { kinds: fileKinds, description: 'A zip, or a PNG or JPG image.' } },
        anyFileAs: 'file',
      },
      answer: z.object({
        success: z.literal(true),
        url: z.string().meta({
          description: 'A permanent link. For uploads of a test key, a signed link that expires like a download link.',
          example: 'https://api.example.com/media/9b2e.png',
        }),
        filename: z.string().meta({ example: '9b2e.png' }),
        size: z.int().meta({ description: 'Bytes.', example: 18_422 }),
        livemode: z.boolean().meta({ description: 'False if a test key uploaded it.' }),
      }),
      refusals: ['quota_exceeded'],
      room: marketplace.room,
      async handle({ caller, files: { file } }) {
        const key = await marketplace.upload(caller, file);
        if (isRefused(key)) return key;
        return {
          success: true,
          url: await addresses.media(key),
          filename: key.slice(key.lastIndexOf('/') + 1),
          size: file.size,
          livemode: caller.mode === 'live',
        };
      },
    }),
  ];
}

const { title, tagline, description, descriptionAtLeast, word, words } = listingLimits;

/** One text that contains a JSON array of texts. */
const wordsInJson = z
  .string({ error: notOneText })
  .optional()
  .transform((value, context) => {
    if (value === undefined || value.trim() === '') return [];
    const parsed = z.array(z.string()).safeParse(parseJson(value));
    const found = parsed.success ? parsed.data.map((one) => one.trim()) : undefined;
    const isInBounds = found && found.length <= words && found.every((one) => one !== '' && [...one].length <= word);
    if (isInBounds && found.every(isWithoutNul)) return found;
    context.addIssue(
      isInBounds ? nulFault : `It must be a JSON array of at most ${words} texts of 1 to ${word} characters.`,
    );
    return z.NEVER;
  })
  .meta({ description: 'One text that contains a JSON array of texts.' });

/** The fields of the form with which a seller publishes a product. */
export const listing = z.object({
  module: trimmed(word).meta({ description: 'Module type.', example: 'token' }),
  variant: optionalText(word).meta({ description: 'Variant of the module.', example: 'erc20' }),
  title: trimmed(title).meta({ example: 'Uniswap-style DEX' }),
  tagline: trimmed(tagline).meta({ example: 'Swap anything' }),
  description: trimmed(description)
    .refine(
      (value) => value === '' || [...value].length >= descriptionAtLeast,
      `It must have at least ${descriptionAtLeast} characters.`,
    )
    .meta({ minLength: descriptionAtLeast, example: 'A decentralised exchange, ready to deploy.' }),
  price: present
    .transform((value, context) => {
      const price = parsePrice(value.trim());
      if (price !== undefined) return price;
      context.addIssue('It must be an amount in US dollars below 10,000,000, such as 49 or 49.90.');
      return z.NEVER;
    })
    .meta({ description: 'In US dollars; 0 is free.', pattern: String.raw`^\d{1,7}(\.\d{1,2})?$`, example: '49.90' }),
  is_supported: z
    .enum(['true', 'false'], 'It must be true or false.')
    .optional()
    .transform((value) => value === 'true')
    .meta({ description: 'Whether the seller provides support.', example: 'true' }),
  category: optionalText(word).meta({ example: 'defi-dex' }),
  subcategory: optionalText(word).meta({ example: 'amm' }),
  tags: wordsInJson.meta({ example: '["defi", "dex"]' }),
  blockchains: wordsInJson.meta({ example: '["ethereum", "base"]' }),
});

function toListing({ is_supported, ...same }: z.output<typeof listing>): Listing {
  return { ...same, isSupported: is_supported };
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

const published = z.object({
  success: z.literal(true),
  product: productItem.pick({ id: true, slug: true, title: true, status: true, livemode: true }),
  marketplace_url: marketplaceUrl,
});

function publish(tools: AccountTools, marketplace: Marketplace, addresses: Addresses): Route {
  return accountRoute(tools, {
    id: 'publish',
    tag,
    summary: 'Publishes a product, which then waits for approval',
    method: 'post',
    paths: ['/api/marketplace/publish'],
    scope: 'marketplace:write',
    isIdempotent: true,
    form: {
      fields: listing,
      files: {
        product_zip: { kinds: ['zip'], description: 'The product.' },
        thumbnail: { kinds: ['png', 'jpg'], description: 'A PNG or JPG image.', isShown: true },
      },
    },
    answer: published,
    refusals: ['quota_exceeded'],
    room: async (caller, bytes) => marketplace.mayPublish(caller) ?? (await marketplace.room(caller, bytes)),
    async handle({
      caller,
      body,
      files,
    }): Promise<z.output<typeof published> | Refused<'quota_exceeded' | 'forbidden'>> {
      const product = await marketplace.publish(caller, toListing(body), files.product_zip, files.thumbnail);
      if (isRefused(product)) return product;
      const { id, slug, title, status, isLive } = product;
      return {
        success: true,
        product: { id, slug, title, status, livemode: isLive },
        marketplace_url: addresses.product(product),
      };
    },
  });
}
