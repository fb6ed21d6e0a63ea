import type { WebAnswer } from './web-client.ts';

/** The settings of a service where buyers pay with play money, or by hand. */
export const shop = { PAYMENTS_URL: 'test:demo,manual:', PAYMENT_INSTRUCTIONS: 'Send it to IBAN DE00 1234.' };

/** Returns the token of the order to which an answer leads. Throws if it leads to none. */
export function orderTokenIn({ location = '', text }: WebAnswer): string {
  const token = /^\/orders\/([0-9a-z]{24})/.exec(location)?.[1];
  if (token === undefined) throw new Error(`There is no order: ${text}`);
  return token;
}

/** The text of a page with plain spaces, because sums have others. */
export function plainText({ text }: WebAnswer): string {
  return text.replaceAll('\u00a0', ' ');
}
