import { signUpPolicies } from '../accounts/sign-up-policy.ts';
import type { Mailbox } from '../mail/mail.ts';
import { parseMailbox } from '../mail/mailbox.ts';
import { isProductSlug } from '../marketplace/product.ts';
import { sellingPolicies } from '../marketplace/selling-policy.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { SealedSecret } from '../webhooks/endpoint.ts';
import { accentOf } from './accent.ts';
import { footerLinksOf } from './footer-links.ts';
import { stripeKeyOf, webhookSecretsOf } from './stripe-secrets.ts';

/** Why a text is no value of a setting. */
export type SettingFault =
  | 'missing'
  | 'too_long'
  | 'odd_characters'
  | 'not_a_color'
  | 'too_light'
  | 'not_a_link'
  | 'not_a_logo'
  | 'too_many_links'
  | 'not_a_choice'
  | 'not_a_mailbox'
  | 'not_a_mail_server'
  | 'not_a_stripe_key'
  | 'not_a_webhook_secret'
  | 'not_a_slug';

/** A setting that administrators change in the browser. Its value is stored as a text. */
interface Setting {
  /** The text that counts as long as nobody has set another one. */
  readonly fallback: string;
  /** Returns the value of a trimmed text, or why there is none. */
  check(text: string): unknown | Refused<SettingFault>;
  /** The environment variable that wins, if it is set. */
  readonly variable?: string;
  /** Whether the database keeps it sealed, and nobody is shown it. */
  readonly isSecret?: true;
  /**
   * Whether a stranger at an unlocked screen could do harm with it: lead money or mails elsewhere, or let others in. A change
   * needs the password. A secret is always sensitive.
   */
  readonly isSensitive?: true;
}

/** All settings. An environment variable wins over the database, and the database over the fallback. */
export const siteSettings = {
  site_name: { fallback: 'Latchkey', check: (text) => oneLine(text, 60), variable: 'SITE_NAME' },
  /** Below the name on the first page, and for search engines. */
  description: { fallback: '', check: (text) => (text === '' ? '' : oneLine(text, 200)) },
  /** A small picture as a data URL. Empty: the sign of Latchkey. */
  logo: { fallback: '', check: logo },
  accent: { fallback: '', check: (text) => (text === '' ? undefined : accentOf(text)) },
  footer_links: { fallback: '', check: footerLinksOf },
  terms: { fallback: '', check: markdown },
  privacy: { fallback: '', check: markdown },
  imprint: { fallback: '', check: markdown },
  refunds: { fallback: '', check: markdown },
  sign_up: {
    fallback: 'open',
    check: (text) => oneOf(signUpPolicies, text),
    variable: 'SIGN_UP',
    isSensitive: true,
  },
  selling: { fallback: 'everybody', check: (text) => oneOf(sellingPolicies, text), isSensitive: true },
  /** Whether buyers can pay with Stripe. It then needs both secrets. */
  take_stripe: { fallback: 'no', check: yesOrNo, variable: 'PAYMENTS_URL', isSensitive: true },
  stripe_key: { fallback: '', check: stripeKeyOf, variable: 'PAYMENTS_URL', isSecret: true },
  stripe_webhook_secret: { fallback: '', check: webhookSecretsOf, variable: 'PAYMENTS_URL', isSecret: true },
  /** Whether buyers can pay by hand. Without instructions, they cannot. */
  take_transfers: { fallback: 'yes', check: yesOrNo, variable: 'PAYMENTS_URL', isSensitive: true },
  /** How buyers pay by hand. Empty: they cannot. */
  payment_instructions: {
    fallback: '',
    check: (text) => lines(text, 2_000),
    variable: 'PAYMENTS_URL',
    isSensitive: true,
  },
  /** Whether play money pays for products in test mode. */
  take_play_money: { fallback: 'no', check: yesOrNo, variable: 'PAYMENTS_URL', isSensitive: true },
  /** The slug of the product that sells the plan. Empty: it is not sold. */
  plan_pro: { fallback: '', check: productSlug, isSensitive: true },
  plan_enterprise: { fallback: '', check: productSlug, isSensitive: true },
  /** Whether somebody has said that backups are made. */
  backups: { fallback: 'no', check: yesOrNo },
  /** Whether administrators see the launch checklist until it is done. */
  checklist: { fallback: 'show', check: (text) => oneOf(['show', 'hide'], text) },
  mail_from: { fallback: '', check: mailbox, variable: 'MAIL_FROM', isSensitive: true },
  /** `smtp://…`, `smtps://…`, or `outbox:` for none. May contain a password. */
  mail_server: { fallback: 'outbox:', check: mailServer, variable: 'MAIL_URL', isSecret: true },
} as const satisfies Record<string, Setting>;

/** The settings that are whole pages of Markdown. A page is there if its text is not empty. */
export const siteTexts = [
  'terms',
  'privacy',
  'imprint',
  'refunds',
] as const satisfies readonly (keyof typeof siteSettings)[];
export type SiteText = (typeof siteTexts)[number];

export type SettingName = keyof typeof siteSettings;
export const settingNames = Object.keys(siteSettings) as SettingName[];

/** A secret as it is kept: sealed in the database, or as it is in the environment. */
export type KeptSecret = { readonly sealed: SealedSecret } | { readonly text: string };

type SecretName = {
  [Name in SettingName]: (typeof siteSettings)[Name] extends { readonly isSecret: true } ? Name : never;
}[SettingName];

/** The values of all settings. A secret with the text of its fallback is `undefined`. */
export type Settings = {
  readonly [Name in Exclude<SettingName, SecretName>]: Exclude<
    ReturnType<(typeof siteSettings)[Name]['check']>,
    Refused
  >;
} & { readonly [Name in SecretName]: KeptSecret | undefined };

export function isSecret(name: SettingName): boolean {
  const setting: Setting = siteSettings[name];
  return setting.isSecret ?? false;
}

/** Whether a change of it needs the password. */
export function isSensitive(name: SettingName): boolean {
  const setting: Setting = siteSettings[name];
  return isSecret(name) || (setting.isSensitive ?? false);
}

/** The texts of some settings. */
export type SettingTexts = { readonly [Name in SettingName]?: string | undefined };

/** Returns the environment variable that wins over the setting, if there is one. */
export function variableOf(name: SettingName): string | undefined {
  const setting: Setting = siteSettings[name];
  return setting.variable;
}

/** Returns a typed text as settings keep it. */
export function tidy(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}

/** Returns why the tidy text is no value of the setting, or `undefined` if it is one. */
export function faultIn(name: SettingName, text: string): Refused<SettingFault> | undefined {
  const checked = siteSettings[name].check(text);
  return isRefused(checked) ? (checked as Refused<SettingFault>) : undefined;
}

/**
 * Reads the values. A text of the environment wins over one of the database. A text that is no value, such as one that
 * another version stored, counts as not set.
 */
export function valuesOf(stored: Readonly<Record<string, string>>, environment: SettingTexts): Settings {
  const entries = settingNames.map((name) => [
    name,
    isSecret(name)
      ? secretOf(name, stored[name], environment[name])
      : readText(name, environment[name] ?? stored[name]),
  ]);
  return Object.fromEntries(entries) as Settings;
}

function readText(name: SettingName, text: string | undefined): unknown {
  const { check, fallback }: Setting = siteSettings[name];
  const value = check(text ?? fallback);
  return isRefused(value) ? check(fallback) : value;
}

function secretOf(name: SettingName, stored: string | undefined, given: string | undefined): KeptSecret | undefined {
  if (given !== undefined) return given === siteSettings[name].fallback ? undefined : { text: given };
  return stored === undefined ? undefined : { sealed: stored as SealedSecret };
}

function mailbox(text: string): Mailbox | undefined | Refused<'not_a_mailbox'> {
  return text === '' ? undefined : (parseMailbox(text) ?? refuse('not_a_mailbox'));
}

/** The adapter for mails finds the other mistakes. */
function mailServer(text: string): string | Refused<'not_a_mail_server' | 'too_long'> {
  if (text.length > longestAddress) return refuse('too_long', undefined, { max: longestAddress });
  return /^(?:outbox:|smtps?:\/\/\S+)$/.test(text) ? text : refuse('not_a_mail_server');
}

const longestAddress = 1_000;

/** In characters. */
const longestText = 50_000;

function markdown(text: string): string | Refused<'too_long' | 'odd_characters'> {
  return lines(text, longestText);
}

function lines(text: string, max: number): string | Refused<'too_long' | 'odd_characters'> {
  if ([...text].length > max) return refuse('too_long', undefined, { max });
  return /^(?:\P{Cc}|[\n\t])*$/u.test(text) ? text : refuse('odd_characters');
}

/** In characters: more than 70 kB. */
const longestLogo = 100_000;

function logo(text: string): string | Refused<'not_a_logo'> {
  const isOne = text.length <= longestLogo && /^(?:data:image\/(?:png|webp);base64,[A-Za-z0-9+/]+={0,2})?$/.test(text);
  return isOne ? text : refuse('not_a_logo');
}

/** Whether there is such a product is not checked: it can come and go later. */
function productSlug(text: string): string | Refused<'not_a_slug'> {
  return text === '' || isProductSlug(text) ? text : refuse('not_a_slug');
}

function yesOrNo(text: string): 'yes' | 'no' | Refused<'not_a_choice'> {
  return oneOf(['yes', 'no'], text);
}

function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  text: string,
): Choice | Refused<'not_a_choice'> {
  return choices.find((one) => one === text) ?? refuse('not_a_choice');
}

function oneLine(text: string, max: number): string | Refused<'missing' | 'too_long' | 'odd_characters'> {
  if (text === '') return refuse('missing');
  if ([...text].length > max) return refuse('too_long', undefined, { max });
  return /^\P{Cc}+$/u.test(text) ? text : refuse('odd_characters');
}
