import { type Actor, byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SiteSettingsStore, StoredSettings } from '../ports/site-settings-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import type { SealedSecret } from '../webhooks/endpoint.ts';
import type { CurrentSettings } from './current-settings.ts';
import {
  faultIn,
  isSecret,
  type SettingFault,
  type SettingName,
  type SettingTexts,
  settingNames,
  siteSettings,
  tidy,
  valuesOf,
  variableOf,
} from './setting.ts';
import { isSameStripe } from './stripe-secrets.ts';

/** A setting for people who change it. */
export interface ShownSetting {
  /** The text that counts. Empty for a secret. */
  readonly text: string;
  /** Whether it differs from the fallback. */
  readonly isSet: boolean;
  /** Where it comes from. `environment`: nobody can change it in the browser. */
  readonly origin: 'environment' | 'database' | 'fallback';
  /** The environment variable that wins, if it is set. */
  readonly variable: string | undefined;
}

export type ShownSettings = { readonly [Name in SettingName]: ShownSetting };

/** The settings, for administrators. Needs `settings:manage`. */
export interface SiteSettings {
  /** Whether an environment variable sets it, so that nobody can change it in the browser. */
  isFixed(name: SettingName): boolean;
  show(actor: Actor): Promise<ShownSettings | Refused<'forbidden'>>;
  /**
   * Sets some settings, all or none. An empty text, or that of the fallback, means that the setting is not set any more. The
   * audit trail gets an event for each one that changes, with its old and new text, but without the text of a secret.
   * `seen` is how the actor knew the settings: if one of those to set differs by now, none is set (`changed_meanwhile`).
   * `setting_fixed`: its environment variable is set. `sender_missing`: there is a mail server, but no sender.
   * `stripe_incomplete`: Stripe is on, but a secret of it is not set. `other_stripe`: the key of Stripe may be of another
   * account or mode than the one before, with which orders were begun, and the actor has not agreed to that.
   */
  change(
    texts: SettingTexts,
    actor: Actor,
    more?: { readonly seen?: ShownSettings | undefined; readonly agreesToOtherStripe?: boolean },
  ): Promise<
    | ShownSettings
    | Refused<
        | 'forbidden'
        | 'setting_fixed'
        | 'sender_missing'
        | 'stripe_incomplete'
        | 'other_stripe'
        | 'changed_meanwhile'
        | SettingFault
      >
  >;
}

interface SiteSettingsPorts {
  readonly store: SiteSettingsStore;
  readonly current: Pick<CurrentSettings, 'learn'>;
  /** The texts of the settings whose environment variable is set. */
  readonly environment: SettingTexts;
  readonly box: SecretBox;
  readonly secrets: Pick<Secrets, 'digest'>;
  /** Returns what is wrong with the address of a mail server, without repeating any of it. */
  mistakeInMailServer(text: string): string | undefined;
  readonly clock: Clock;
}

/** Longer texts are not repeated in the audit trail, which has their digests instead. */
const longestInAudit = 200;

export function createSiteSettings({
  store,
  current,
  environment,
  box,
  secrets,
  mistakeInMailServer,
  clock,
}: SiteSettingsPorts): SiteSettings {
  const shown = ({ texts }: StoredSettings) => shownSettings(texts, environment);
  const isFixed = (name: SettingName) => environment[name] !== undefined;
  /** What the audit trail says of a text. `null`: the setting was not stored, or is not any more. */
  const told = (side: 'from' | 'to', text: string | null) =>
    text !== null && text.length > longestInAudit ? { [`${side}_sha256`]: secrets.digest(text) } : { [side]: text };
  /** Whether orders may have been begun with another account or mode of Stripe. */
  function isOtherStripe(sealed: string | undefined, given: string | undefined): boolean {
    if (sealed === undefined || given === undefined) return false;
    try {
      return !isSameStripe(box.open(sealed as SealedSecret), tidy(given));
    } catch (error) {
      if (error instanceof Unavailable) return true;
      throw error;
    }
  }
  return {
    isFixed,

    async show(actor) {
      const refused = needing(actor, 'settings:manage');
      if (refused) return refused;
      const stored = await store.read();
      current.learn(stored);
      return shown(stored);
    },

    async change(given, actor, { seen, agreesToOtherStripe = false } = {}) {
      const refused = needing(actor, 'settings:manage');
      if (refused) return refused;
      const wanted = settingNames.flatMap((name) => {
        const text = given[name];
        return text === undefined ? [] : [[name, tidy(text)] as const];
      });
      for (const [name, text] of wanted) {
        if (isFixed(name)) return refuse('setting_fixed', `${variableOf(name)} sets it.`);
        const fault = faultIn(name, text);
        if (fault) return fault;
        const mistake = name === 'mail_server' && text !== siteSettings[name].fallback && mistakeInMailServer(text);
        if (mistake) return refuse('not_a_mail_server', mistake);
      }
      const [by, now] = [byOf(actor), clock.now()];
      const kept = wanted.map(([name, text]) => {
        if (text === siteSettings[name].fallback) return [name, null] as const;
        return [name, isSecret(name) ? box.seal(text) : text] as const;
      });
      const after = await store.change((before) => {
        const known = shown(before);
        if (wanted.some(([name]) => seen && !isSame(seen[name], known[name]))) return refuse('changed_meanwhile');
        if (!agreesToOtherStripe && isOtherStripe(before.texts.stripe_key, given.stripe_key)) {
          return refuse('other_stripe');
        }
        const changed = kept.filter(([name, text]) => text !== (before.texts[name] ?? null));
        const values = valuesOf(withChanges(before.texts, changed), environment);
        if (values.mail_server !== undefined && values.mail_from === undefined) return refuse('sender_missing');
        const hasStripe = values.stripe_key !== undefined && values.stripe_webhook_secret !== undefined;
        if (values.take_stripe === 'yes' && !hasStripe) return refuse('stripe_incomplete');
        const events = changed.map(([name, text]) => {
          const data = isSecret(name) ? {} : { ...told('from', before.texts[name] ?? null), ...told('to', text) };
          return event('setting.changed', name, by, now, data);
        });
        return { texts: Object.fromEntries(changed), events };
      });
      if (isRefused(after)) return after;
      current.learn(after);
      return shown(after);
    },
  };
}

function isSame(one: ShownSetting, other: ShownSetting): boolean {
  return one.text === other.text && one.isSet === other.isSet;
}

function withChanges(
  before: StoredSettings['texts'],
  changed: readonly (readonly [string, string | null])[],
): StoredSettings['texts'] {
  const all = Object.entries({ ...before, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}

function shownSettings(texts: StoredSettings['texts'], environment: SettingTexts): ShownSettings {
  const entries = settingNames.map((name): [SettingName, ShownSetting] => {
    const { fallback } = siteSettings[name];
    const text = environment[name] ?? texts[name] ?? fallback;
    const origin =
      environment[name] !== undefined ? 'environment' : texts[name] === undefined ? 'fallback' : 'database';
    return [name, { text: isSecret(name) ? '' : text, isSet: text !== fallback, origin, variable: variableOf(name) }];
  });
  return Object.fromEntries(entries) as ShownSettings;
}
