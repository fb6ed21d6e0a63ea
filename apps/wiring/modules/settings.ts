import type { SiteLook } from '../../../adapters/http/ui/frame.ts';
import { logoOf } from '../../../adapters/http/ui/logo.ts';
import { mistakeInSmtpUrl } from '../../../adapters/mail/smtp-url.ts';
import { type CurrentSettings, createCurrentSettings } from '../../../core/site/current-settings.ts';
import { type Settings, type SettingTexts, settingNames, siteTexts, variableOf } from '../../../core/site/setting.ts';
import { createSiteSettings } from '../../../core/site/site-settings.ts';
import { clock, config, log, secrets, setting } from '../chosen.ts';
import type { Config } from '../config.ts';
import { keepRefreshing } from '../keeping.ts';
import { part } from '../part.ts';
import { secretBox } from './secrets.ts';
import { siteSettingsStore } from './sql.ts';

/** The texts of the settings whose environment variable is set. */
const environment = part(({ config }) => givenIn(config), { config });

/** The settings, as they are in the database at most a few seconds ago. */
export const currentSettings = part(
  async ({ store, environment, log }): Promise<CurrentSettings & { close(): Promise<void> }> => {
    const current = createCurrentSettings({ store, environment });
    await current.refresh();
    return { ...current, ...keepRefreshing(current.refresh, log, 'the settings of the site could not be read') };
  },
  { store: siteSettingsStore, environment, log },
  (current) => current.close(),
);

/** A function that returns a setting of the site, as it is now. */
export const nowSet = <Name extends keyof Settings>(name: Name) =>
  part(
    ({ current }) =>
      (): Settings[Name] =>
        current.get()[name],
    { current: currentSettings },
  );

export const siteSettings = part(createSiteSettings, {
  store: siteSettingsStore,
  current: currentSettings,
  environment,
  box: secretBox,
  secrets,
  mistakeInMailServer: part(() => mistakeInSmtpUrl, {}),
  clock,
});

/** The name of the site and how it looks, for all pages. */
export const siteLook = part(
  ({ current, isSandbox }) =>
    (): { readonly site: string; readonly look: SiteLook } => {
      const values = current.get();
      const { site_name: site, description, accent, footer_links: links } = values;
      const texts = siteTexts.filter((text) => values[text] !== '');
      const logo = logoOf(values.logo);
      const pictures = { logo: logo?.address, icon: logo?.icon.address };
      return { site, look: { description, ...pictures, accent: accent?.light, texts, links, isSandbox } };
    },
  { current: currentSettings, isSandbox: setting('SANDBOX') },
);

function givenIn({ given, PAYMENTS_URL: ways, PAYMENT_INSTRUCTIONS: instructions }: Config): SettingTexts {
  const texts: Readonly<Record<string, string | undefined>> = given;
  return {
    ...Object.fromEntries(settingNames.map((name) => [name, texts[variableOf(name) ?? '']?.trim()])),
    // This variable decides about all of payments.
    ...(given.PAYMENTS_URL !== undefined && {
      take_stripe: ways.stripe ? 'yes' : 'no',
      stripe_key: given.STRIPE_SECRET_KEY?.trim() ?? '',
      stripe_webhook_secret: given.STRIPE_WEBHOOK_SECRET?.trim() ?? '',
      take_transfers: ways.manual ? 'yes' : 'no',
      take_play_money: ways.test === undefined ? 'no' : 'yes',
      // How they are made says another variable.
      payment_instructions: ways.manual ? instructions : '',
    }),
  };
}
