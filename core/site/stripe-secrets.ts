import { type Refused, refuse } from '../refusal.ts';

/** A secret or restricted key of Stripe. */
export interface StripeKey {
  readonly key: string;
  /** Whether it takes real money. */
  readonly isLive: boolean;
}

/** Texts that people enter instead of the key, with what each of them is. */
const otherKeys: readonly (readonly [beginning: string, mistake: string])[] = [
  ['pk_', 'is a publishable key, which is for browsers'],
  ['sk_org_', 'is the key of an organization, not of an account'],
  ['whsec_', 'is the secret of a webhook endpoint, not a key'],
];

/**
 * Reads a key. Its mode is in its beginning: https://docs.stripe.com/keys. The detail of a refusal says what is wrong,
 * without any of the text: `is …`, `has …`.
 */
export function stripeKeyOf(text: string): StripeKey | Refused<'not_a_stripe_key'> {
  const [, mode, rest = ''] = /^[rs]k_(live|test)_(.*)$/s.exec(text) ?? [];
  const mistake =
    mode === undefined
      ? (otherKeys.find(([beginning]) => text.startsWith(beginning))?.[1] ?? 'has none of these beginnings')
      : mistakeIn(rest, /\W/, 'a letter, a digit or _');
  return mistake === undefined ? { key: text, isLive: mode === 'live' } : refuse('not_a_stripe_key', mistake);
}

/**
 * Whether two keys are surely of one account and mode. Newer keys contain the id of their account: `acct_1A…` has
 * `sk_live_51A…`. Of older ones nobody can tell.
 */
export function isSameStripe(one: string, other: string): boolean {
  const [account, same] = [one, other].map((key) => /^[rs]k_((?:live|test)_51[A-Za-z0-9]{15})/.exec(key)?.[1]);
  return one === other || (account !== undefined && account === same);
}

/** Reads the secrets of a webhook endpoint, with commas between them: two while one replaces the other. */
export function webhookSecretsOf(text: string): readonly string[] | Refused<'not_a_webhook_secret'> {
  const secrets = text.split(',').map((one) => one.trim());
  for (const [index, secret] of secrets.entries()) {
    const [, rest] = /^whsec_(.*)$/s.exec(secret) ?? [];
    const mistake =
      rest === undefined ? 'has another beginning' : mistakeIn(rest, /[^\w+/=]/, 'a letter, a digit, _, +, / or =');
    if (mistake) return refuse('not_a_webhook_secret', `number ${index + 1} ${mistake}`);
  }
  return secrets;
}

/** Returns what is wrong with the text after `sk_live_` or `whsec_`. The message contains nothing of it. */
function mistakeIn(rest: string, wrong: RegExp, right: string): string | undefined {
  if (wrong.test(rest)) return `has a character that is not ${right}`;
  return rest.length < 8 ? 'is too short: at least 8 characters follow its beginning' : undefined;
}
