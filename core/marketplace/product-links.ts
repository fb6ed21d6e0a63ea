/** The addresses of other sites on the page of a product. */
export const linkKinds = ['demo', 'source', 'video'] as const;
export type LinkKind = (typeof linkKinds)[number];

export type ProductLinks = Readonly<Record<LinkKind, string | null>>;

export const noLinks: ProductLinks = { demo: null, source: null, video: null };

/** The largest number of characters in an address. */
export const longestLink = 500;

/** Whether a text is the address of a page with https. Without the name of a user, which would look as if it were the host. */
export function isLink(text: string): boolean {
  return text.length <= longestLink && /^https:\/\/[\p{L}\p{N}.-]+(?::\d{1,5})?(?:[/?#]\S*)?$/iu.test(text);
}
