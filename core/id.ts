declare const brand: unique symbol;
type Id<Of extends string> = number & { readonly [brand]: Of };

export type UserId = Id<'User'>;
export type ApiKeyId = Id<'ApiKey'>;
export type ProductId = Id<'Product'>;
export type TemplateId = Id<'Template'>;

/* The only places that make ids: of the numbers of rows, and of texts (`parseId`). */

export const toUserId = (number: number) => number as UserId;
export const toApiKeyId = (number: number) => number as ApiKeyId;
export const toProductId = (number: number) => number as ProductId;
export const toTemplateId = (number: number) => number as TemplateId;

/** The id that a text is, or `undefined` if it is a slug or an address: those are never digits alone. */
export function parseId<Id extends number>(text: string, mint: (number: number) => Id): Id | undefined {
  return /^\d{1,15}$/.test(text) ? mint(Number(text)) : undefined;
}
