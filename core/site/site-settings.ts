import { type Actor, byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { SiteSettingsStore, StoredSettings } from '../ports/site-settings-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { type CurrentSettings, effective } from './current-settings.ts';
import {
  faultIn,
  type SettingFault,
  type SettingName,
  type SettingTexts,
  settingNames,
  siteSettings,
  tidy,
  variableOf,
} from './setting.ts';

/** A setting for people who change it. */
export interface ShownSetting {
  /** The text that counts. */
  readonly text: string;
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
   * audit trail gets an event for each one that changes. `setting_fixed`: its environment variable is set.
   */
  change(
    texts: SettingTexts,
    actor: Actor,
  ): Promise<ShownSettings | Refused<'forbidden' | 'setting_fixed' | SettingFault>>;
}

interface SiteSettingsPorts {
  readonly store: SiteSettingsStore;
  readonly current: Pick<CurrentSettings, 'learn'>;
  /** The texts of the settings whose environment variable is set. */
  readonly environment: SettingTexts;
  readonly clock: Clock;
}

/** Longer texts are not repeated in the audit trail. */
const longestInAudit = 200;

export function createSiteSettings({ store, current, environment, clock }: SiteSettingsPorts): SiteSettings {
  const shown = ({ texts }: StoredSettings) => shownSettings(texts, environment);
  const isFixed = (name: SettingName) => environment[name] !== undefined;
  return {
    isFixed,

    async show(actor) {
      const refused = needing(actor, 'settings:manage');
      if (refused) return refused;
      const stored = (await store.read()) ?? { revision: 0, texts: {} };
      current.learn(stored);
      return shown(stored);
    },

    async change(given, actor) {
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
      }
      const [by, now] = [byOf(actor), clock.now()];
      const after = await store.change((before) => {
        const texts = Object.fromEntries(
          wanted
            .map(([name, text]) => [name, text === siteSettings[name].fallback ? null : text] as const)
            .filter(([name, text]) => text !== (before.texts[name] ?? null)),
        );
        const events = Object.entries(texts).map(([name, text]) =>
          event('setting.changed', name, by, now, isShort(text) ? { to: text } : {}),
        );
        return { texts, events };
      });
      if (isRefused(after)) return after;
      current.learn(after);
      return shown(after);
    },
  };
}

function isShort(text: string | null): boolean {
  return text === null || text.length <= longestInAudit;
}

function shownSettings(texts: StoredSettings['texts'], environment: SettingTexts): ShownSettings {
  const all = effective(texts, environment);
  const entries = settingNames.map((name): [SettingName, ShownSetting] => [
    name,
    {
      text: all[name] ?? siteSettings[name].fallback,
      origin: environment[name] !== undefined ? 'environment' : texts[name] === undefined ? 'fallback' : 'database',
      variable: variableOf(name),
    },
  ]);
  return Object.fromEntries(entries) as ShownSettings;
}
