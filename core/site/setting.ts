import { signUpPolicies } from '../accounts/sign-up-policy.ts';
import { sellingPolicies } from '../marketplace/selling-policy.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { accentOf } from './accent.ts';
import { footerLinksOf } from './footer-links.ts';

/** Why a text is no value of a setting. */
export type SettingFault =
  | 'missing'
  | 'too_long'
  | 'odd_characters'
  | 'not_a_color'
  | 'too_light'
  | 'not_a_link'
  | 'too_many_links'
  | 'not_a_choice';

/** A setting that administrators change in the browser. Its value is stored as a text. */
interface Setting {
  /** The text that counts as long as nobody has set another one. */
  readonly fallback: string;
  /** Returns the value of a trimmed text, or why there is none. */
  check(text: string): unknown | Refused<SettingFault>;
  /** The environment variable that wins, if it is set. */
  readonly variable?: string;
}

/** All settings. An environment variable wins over the database, and the database over the fallback. */
export const siteSettings = {
  site_name: { fallback: 'Latchkey', check: (text) => oneLine(text, 60), variable: 'SITE_NAME' },
  /** Below the name on the first page, and for search engines. */
  description: { fallback: '', check: (text) => (text === '' ? '' : oneLine(text, 200)) },
  accent: { fallback: '', check: (text) => (text === '' ? undefined : accentOf(text)) },
  footer_links: { fallback: '', check: footerLinksOf },
  terms: { fallback: '', check: markdown },
  privacy: { fallback: '', check: markdown },
  imprint: { fallback: '', check: markdown },
  refunds: { fallback: '', check: markdown },
  sign_up: { fallback: 'open', check: (text) => oneOf(signUpPolicies, text), variable: 'SIGN_UP' },
  selling: { fallback: 'everybody', check: (text) => oneOf(sellingPolicies, text) },
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

/** The values of all settings. */
export type Settings = {
  readonly [Name in SettingName]: Exclude<ReturnType<(typeof siteSettings)[Name]['check']>, Refused>;
};

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

/** Reads the values. A text that is none, such as one that another version stored, counts as not set. */
export function valuesOf(texts: SettingTexts): Settings {
  const entries = settingNames.map((name) => {
    const { check, fallback }: Setting = siteSettings[name];
    const value = check(texts[name] ?? fallback);
    return [name, isRefused(value) ? check(fallback) : value];
  });
  return Object.fromEntries(entries) as Settings;
}

/** In characters. */
const longestText = 50_000;

function markdown(text: string): string | Refused<'too_long' | 'odd_characters'> {
  if ([...text].length > longestText) return refuse('too_long', undefined, { max: longestText });
  return /^(?:\P{Cc}|[\n\t])*$/u.test(text) ? text : refuse('odd_characters');
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
