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
import {
  type Duration,
  deactivationGuards,
  defaultTerms,
  proofPolicies,
  refundRules,
  termLimits,
} from '../../../../core/marketplace/product-terms.ts';
import { parseWholeNumber } from '../../../../core/whole-number.ts';
import type { FormValues } from '../../ui/form-state.ts';
import { readPrice } from '../../ui/prices.ts';
import { oneOf, optional, optionalText, required, someOf } from '../kit/fields.ts';
import { asRefused, type RefusalMessage } from '../kit/refusal-messages.ts';
import { priceRows, toPrices, valuesOfPrices, withPriceRows } from './price-rows.tsx';
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

export const durations = ['forever', 'issue', 'first_activation'] as const;
export const hostOptions = ['local', 'www'] as const;

/** An optional text. `null` if it is empty. */
export const textOrNull = (max: number) => optional(max).transform((value) => value || null);

/** Words with commas between them, each once. */
const severalWords = optionalText.transform((text, context) => {
  const found = [...new Set(text.split(/[,،、，\n]/).map((one) => one.trim()))].filter((one) => one !== '');
  if (found.length > mostWords) context.addIssue(words.tooManyWords(mostWords));
  if (found.some((one) => [...one].length > word)) context.addIssue(words.longWord(word));
  return found;
});

export function whole(least: number, most: number) {
  return optionalText.transform((text, context) => {
    const number = parseWholeNumber(text, least, most);
    if (number !== undefined) return number;
    context.addIssue(words.wholeNumber(least, most));
    return z.NEVER;
  });
}

/** As `whole`, or `undefined` if nothing was typed. */
export function wholeOrNothing(least: number, most: number) {
  return optionalText.transform((text, context) => {
    const number = text === '' ? undefined : parseWholeNumber(text, least, most);
    if (text !== '' && number === undefined) context.addIssue(words.wholeNumber(least, most));
    return number;
  });
}

const patterns = optionalText.transform((text, context) => {
  const found = [...new Set(text.split(/[\s,]+/))].filter((one) => one !== '').map((one) => one.toLowerCase());
  if (found.length > termLimits.previewHosts) context.addIssue(words.tooManyPatterns);
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

export const durationFields = { duration: oneOf(durations, words.choose), days: optionalText };

const terms = {
  max_domains: whole(1, termLimits.maxDomains),
  ...durationFields,
  hosts: someOf(hostOptions),
  preview_hosts: patterns,
  moves: whole(0, termLimits.movesPerMonth),
  rotations: whole(0, termLimits.rotationsPerYear),
  lease_hours: whole(1, termLimits.leaseHours),
  on_refund: oneOf(refundRules, words.choose),
  domain_proof: oneOf(proofPolicies, words.choose),
  deactivation: oneOf(deactivationGuards, words.choose),
  cool_down: whole(1, termLimits.coolDownHours),
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
export const termNames = Object.keys(terms);

const wrongDays = words.wholeNumber(1, termLimits.days);

/** The fields of a product's form, besides the files. `more` are those of one form only. */
export function productFields<More extends z.ZodRawShape>(more: More) {
  return withPriceRows(z.object({ ...priceRows, ...listing, ...sellerField, ...terms, ...more }))
    .refine(...daysRule)
    .refine((value) => chainsIn(value as unknown as ProductInput).length <= mostWords, {
      path: ['blockchains'],
      error: words.tooManyWords(mostWords),
    });
}

/** The number of days must be right unless licenses are valid for ever. */
export const daysRule = [
  (value: object) => {
    const { duration, days } = value as { readonly duration?: string; readonly days?: string };
    return duration === 'forever' || parseWholeNumber(days ?? '', 1, termLimits.days) !== undefined;
  },
  // Checked also if other fields are wrong, so that all messages come at once.
  { path: ['days'], error: wrongDays, when: () => true },
] as const satisfies Parameters<z.ZodObject['refine']>;

/** The fields check each price, but not whether a free product has others. */
export const wrongPrices: RefusalMessage = asRefused('price');
/** The fields check everything about the terms but the patterns of hosts. */
export const wrongPattern: RefusalMessage = asRefused('preview_hosts');

/** The validated values of the form. */
export type ProductInput = z.output<z.ZodObject<typeof listing & typeof sellerField & typeof terms>>;

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
    terms: {
      maxDomains: input.max_domains,
      duration: toDuration(input),
      hosts: {
        localHostsAreFree: input.hosts.includes('local'),
        previewHosts: input.preview_hosts,
        wwwIsApex: input.hosts.includes('www'),
      },
      movesPerMonth: input.moves,
      rotationsPerYear: input.rotations,
      leaseHours: input.lease_hours,
      onRefund: input.on_refund,
      domainProof: input.domain_proof,
      deactivation: input.deactivation,
      coolDownHours: input.cool_down,
    },
  };
}

export function toDuration({ duration, days }: Pick<ProductInput, 'duration' | 'days'>): Duration {
  return duration === 'forever' ? null : { days: Number(days), from: duration };
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

export function valuesOfDuration(duration: Duration): FormValues {
  return { duration: duration === null ? 'forever' : duration.from, days: String(duration?.days ?? 365) };
}

function valuesOfParts({
  sellerName,
  links,
  prices,
  leastPrices,
  terms: { maxDomains, duration, hosts, movesPerMonth, rotationsPerYear, leaseHours, onRefund, ...rules },
}: ChosenParts): FormValues {
  return {
    seller_name: sellerName ?? '',
    ...valuesOfPrices({ prices, leastPrices }),
    ...Object.fromEntries(linkKinds.map((kind) => [kind, links[kind] ?? ''])),
    max_domains: String(maxDomains),
    ...valuesOfDuration(duration),
    hosts: [hosts.localHostsAreFree ? 'local' : '', hosts.wwwIsApex ? 'www' : ''].filter(Boolean),
    preview_hosts: hosts.previewHosts.join('\n'),
    moves: String(movesPerMonth),
    rotations: String(rotationsPerYear),
    lease_hours: String(leaseHours),
    on_refund: onRefund,
    domain_proof: rules.domainProof,
    deactivation: rules.deactivation,
    cool_down: String(rules.coolDownHours),
  };
}
