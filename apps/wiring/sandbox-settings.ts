import { trueOrFalse } from './setting-schemas.ts';

/** The setting that makes a server a sandbox. */
export const sandboxVariables = {
  SANDBOX: {
    fallback: 'false',
    meaning:
      '`true`: a public sandbox, in which every visitor can get a test account that is deleted after a day. Mails, payments, sign-up, webhooks to addresses and files above 1 MB are off, whatever other settings say',
    schema: trueOrFalse,
  },
} as const;

const megabyte = 1_048_576;

/** What a sandbox never does, whatever its other settings say: send mails, take money, or call other services. */
const fixed = {
  SIGN_UP: 'closed',
  MAIL_URL: 'outbox:',
  PAYMENTS_URL: 'test:',
  STRIPE_SECRET_KEY: '',
  STRIPE_WEBHOOK_SECRET: '',
  STRIPE_AUTOMATIC_TAX: '',
  STRIPE_MANAGED_PAYMENTS: '',
  CHAINS: '',
  PURCHASE_CHECK_URL: '',
} as const;

/** The most of what a sandbox allows, in bytes and seconds. A lower setting stays. */
const atMost = {
  MAX_ZIP_SIZE: megabyte,
  MAX_IMAGE_SIZE: megabyte,
  MAX_CSV_SIZE: megabyte,
  STORAGE_FREE: 10 * megabyte,
  STORAGE_PRO: 10 * megabyte,
  STORAGE_ENTERPRISE: 10 * megabyte,
  // A request must have ended when an account is deleted.
  REQUEST_TIMEOUT: 600,
} as const;
export type Bounded = keyof typeof atMost;

/** Returns the environment as a sandbox uses it. `read` has the values that were read from it. */
export function asSandbox(
  environment: Readonly<Record<string, string | undefined>>,
  read: Readonly<Record<Bounded, number>>,
): Readonly<Record<string, string | undefined>> {
  const bounded = Object.entries(atMost).map(([name, most]) => [name, String(Math.min(read[name as Bounded], most))]);
  return { ...environment, ...fixed, ...Object.fromEntries(bounded) };
}
