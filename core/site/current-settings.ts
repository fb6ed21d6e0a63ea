import type { SiteSettingsStore, StoredSettings } from '../ports/site-settings-store.ts';
import { type Settings, type SettingTexts, valuesOf } from './setting.ts';

/** The settings as this process knows them. */
export interface CurrentSettings {
  /** Returns the values that count now. Reads nothing from the database. */
  get(): Settings;
  /** Learns what other processes have changed. */
  refresh(): Promise<void>;
  /** Learns what this process has changed, or read. */
  learn(stored: StoredSettings): void;
}

/** `environment`: the texts of the settings whose environment variable is set. They win. */
export function createCurrentSettings({
  store,
  environment,
}: {
  readonly store: Pick<SiteSettingsStore, 'readNewer'>;
  readonly environment: SettingTexts;
}): CurrentSettings {
  let known = { revision: 0, values: valuesOf({}, environment) };
  const learn = ({ revision, texts }: StoredSettings) => {
    // The answer to an earlier read can arrive after a change.
    if (revision > known.revision) known = { revision, values: valuesOf(texts, environment) };
  };
  return {
    get: () => known.values,
    learn,
    async refresh() {
      const stored = await store.readNewer(known.revision);
      if (stored) learn(stored);
    },
  };
}
