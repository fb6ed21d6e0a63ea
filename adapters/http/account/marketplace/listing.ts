import { z } from 'zod';
import { type Listing, listingLimits, parsePrice } from '../../../../core/marketplace/product.ts';
import { isWithoutNul, notOneText, nulFault, optionalText, present, trimmed } from '../../fields.ts';

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

export function toListing({ is_supported, ...same }: z.output<typeof listing>): Listing {
  return { ...same, isSupported: is_supported };
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
