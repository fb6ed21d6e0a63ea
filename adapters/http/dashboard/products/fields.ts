import { z } from 'zod';
import type { ChosenParts } from '../../../../core/marketplace/marketplace.ts';
import {
  defaultModule,
  formatPrice,
  type Listing,
  listingLimits,
  type Product,
} from '../../../../core/marketplace/product.ts';
import { isLink, linkKinds, longestLink, noLinks } from '../../../../core/marketplace/product-links.ts';
import { defaultTerms } from '../../../../core/marketplace/product-terms.ts';
import type { FormValues } from '../../ui/form-state.ts';
import { readPrice } from '../../ui/prices.ts';
import { optional, optionalText, required, someOf } from '../kit/fields.ts';
import { asRefused, type RefusalMessage } from '../kit/refusal-messages.ts';
import { priceRows, toPrices, valuesOfPrices, withPriceRows } from './price-rows.tsx';
import { daysRule, hostOptions, termFields, toTerms, valuesOfTerms } from './terms.tsx';
import { words } from './words.ts';

/** The blockchains that the form offers as choices. Others are typed. */
export const offeredChains = [
  'ethereum',
  'base',
  'arbitrum',
  'optimism',
  'polygon',
  'bsc',
  'avalanche',
  'solana',
] as const;

const { title, tagline, description, descriptionAtLeast, word, words: mostWords, sellerName } = listingLimits;

/** An optional text. `null` if it is empty. */
export const textOrNull = (max: number) => optional(max).transform((value) => value || null);

/** Commas, also those of Arabic and of Chinese, and ends of lines. Written as numbers, because of a check in `finish-build.ts`. */
const betweenWords = /[,\u060c\u3001\uff0c\n]/;

/** Words with commas between them, each once. */
const severalWords = optionalText.transform((text, context) => {
  const found = [...new Set(text.split(betweenWords).map((one) => one.trim()))].filter((one) => one !== '');
  if (found.length > mostWords) context.addIssue(words.tooManyWords(mostWords));
  if (found.some((one) => [...one].length > word)) context.addIssue(words.longWord(word));
  return found;
});

export const priceField = optionalText.transform((text, context) => {
  const price = readPrice(text);
  if (price !== undefined) return price;
  context.addIssue(words.noPrice);
  return z.NEVER;
});

const listing = {
  title: required(title, words.noName),
  tagline: optional(tagline),
  description: optional(description).refine(
    (text) => text === '' || [...text].length >= descriptionAtLeast,
    words.shortDescription(descriptionAtLeast),
  ),
  price: priceField,
  module: optional(word).transform((value) => value || defaultModule),
  variant: textOrNull(word),
  category: textOrNull(word),
  own_category: optional(word),
  subcategory: textOrNull(word),
  chains: someOf(offeredChains),
  blockchains: severalWords,
  tags: severalWords,
  support: someOf(['yes']),
};

const linkField = textOrNull(longestLink).refine((text) => text === null || isLink(text), words.notALink);
const sellerField = {
  seller_name: textOrNull(sellerName),
  ...{ demo: linkField, source: linkField, video: linkField },
};

/** The fields in the parts of the form that are folded away. */
export const findNames = [
  'module',
  'variant',
  'category',
  'own_category',
  'subcategory',
  'chains',
  'blockchains',
  'tags',
  'seller_name',
  'support',
  ...linkKinds,
];
/** The fields of a product's form, besides the files. `more` are those of one form only. */
export function productFields<More extends z.ZodRawShape>(more: More) {
  return withPriceRows(z.object({ ...priceRows, ...listing, ...sellerField, ...termFields, ...more }))
    .refine(...daysRule)
    .refine((value) => chainsIn(value as unknown as ProductInput).length <= mostWords, {
      path: ['blockchains'],
      error: words.tooManyWords(mostWords),
    });
}

/** The fields check each price, but not whether a free product has others. */
export const wrongPrices: RefusalMessage = asRefused('price');
/** The fields check everything about the terms but the patterns of hosts. */
export const wrongPattern: RefusalMessage = asRefused('preview_hosts');

/** The validated values of the form. */
export type ProductInput = z.output<z.ZodObject<typeof listing & typeof sellerField & typeof termFields>>;

/** The chosen blockchains, and then those that were typed. */
function chainsIn({ chains, blockchains }: Pick<ProductInput, 'chains' | 'blockchains'>): string[] {
  return [...new Set([...chains, ...blockchains])];
}

export function toListing(input: ProductInput): Listing {
  const { title, tagline, description, price, module, variant, subcategory, tags } = input;
  return {
    ...{ title, tagline, description, price, module, variant, subcategory, tags },
    category: input.own_category || input.category,
    blockchains: chainsIn(input),
    isSupported: input.support.length > 0,
  };
}

export function toChosenParts(input: ProductInput): ChosenParts {
  return {
    sellerName: input.seller_name,
    ...toPrices(input),
    links: { demo: input.demo, source: input.source, video: input.video },
    terms: toTerms(input),
  };
}

/**
 * The initial values of the form for a new product. The rules that most buyers expect are ticked, because the seller sees
 * them. The API has the strict ones, and says so.
 */
export const newValues: FormValues = {
  ...valuesOfParts({ sellerName: null, links: noLinks, terms: defaultTerms, prices: {}, leastPrices: null }),
  hosts: [...hostOptions],
};

const isOffered = (chain: string) => (offeredChains as readonly string[]).includes(chain);

/** Returns the initial values of the form for an existing product. */
export function valuesOf(product: Product): FormValues {
  const { title, tagline, description, price, module, variant, category, subcategory, blockchains, tags } = product;
  return {
    ...{ title, tagline, description, module },
    variant: variant ?? '',
    category: category ?? '',
    own_category: '',
    subcategory: subcategory ?? '',
    price: formatPrice(price),
    chains: blockchains.filter(isOffered),
    blockchains: blockchains.filter((chain) => !isOffered(chain)).join(', '),
    tags: tags.join(', '),
    support: product.isSupported ? ['yes'] : [],
    ...valuesOfParts(product),
  };
}

function valuesOfParts({ sellerName, links, prices, leastPrices, terms }: ChosenParts): FormValues {
  return {
    seller_name: sellerName ?? '',
    ...valuesOfPrices({ prices, leastPrices }),
    ...Object.fromEntries(linkKinds.map((kind) => [kind, links[kind] ?? ''])),
    ...valuesOfTerms(terms),
  };
}
