import { isRefused } from '../../../../core/refusal.ts';
import {
  isSecret,
  isSensitive,
  type SettingName,
  type SettingTexts,
  settingNames,
} from '../../../../core/site/setting.ts';
import type { ShownSettings, SiteSettings } from '../../../../core/site/site-settings.ts';
import type { Wallets } from '../../../../core/usdc/wallets.ts';
import type { Context } from '../../state.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form } from '../../ui/form.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { form } from '../kit/form.ts';
import { actorOf, admit, type DashboardTools, orFail, page, type SignedInVisit } from '../kit/page.ts';
import { SettingsPage, settingsPlace } from './all-settings.tsx';
import { choices, faultMessages, SettingField, settingTexts } from './field.tsx';
import { type GroupName, groups } from './groups.ts';
import { type LogoTools, logoPages } from './logo.tsx';
import {
  begunAtStripe,
  OtherStripeField,
  otherStripe,
  StripePart,
  type StripeTools,
  stripeTest,
} from './stripe-part.tsx';
import { words } from './words.ts';

const here = areas.admin.settings;
const audience = 'settings:manage';

async function settingsFor(settings: SiteSettings, visit: SignedInVisit): Promise<ShownSettings> {
  return orFail(await settings.show(actorOf(visit)));
}

/** The settings of the site: all of them, a form for each group, and a file with their values. */
export function settingPages(
  tools: DashboardTools,
  {
    settings,
    pictures,
    wallets,
    ...stripe
  }: StripeTools & LogoTools & { readonly settings: SiteSettings; readonly wallets: Pick<Wallets, 'chainIds'> },
): Endpoint[] {
  return [
    page(tools, {
      id: 'admin-settings',
      path: `/${here}`,
      audience,
      async show(visit) {
        const found = await settingsFor(settings, visit);
        return shown(<SettingsPage visit={visit} settings={found} takesUsdc={wallets.chainIds.length > 0} />);
      },
    }),
    {
      id: 'admin-settings-export',
      method: 'get',
      paths: [`/${here}/export`],
      async respond(ctx) {
        const visit = await admit(tools, ctx, audience);
        if (!visit) return;
        const exported = `${JSON.stringify(exportOf(await settingsFor(settings, visit)), null, 2)}\n`;
        ctx.set('Cache-Control', 'no-store');
        ctx.attachment('settings.json');
        ctx.type = 'application/json; charset=utf-8';
        ctx.body = exported;
      },
    },
    ...logoPages(tools, { settings, pictures }),
    ...(Object.keys(groups) as GroupName[])
      .filter((group) => group !== 'logo')
      .flatMap((group) => groupForm(tools, settings, group, stripe)),
    stripeTest(tools, stripe),
  ];
}

function groupForm(
  tools: DashboardTools,
  settings: SiteSettings,
  group: GroupName,
  stripe: Pick<StripeTools, 'baseUrl' | 'orders'>,
): Endpoint[] {
  const names = groups[group];
  const free = names.filter((name) => !settings.isFixed(name));
  /** The settings as the form was compared with them. */
  const seen = new WeakMap<Context, ShownSettings>();
  return form(tools, {
    id: `admin-settings-${group}`,
    path: `/${here}/${group}`,
    audience,
    isSensitive: free.some(isSensitive),
    secrets: free.filter(isSecret),
    edits: choices,
    fields: settingTexts(free, free.includes('stripe_key') ? [otherStripe] : []),
    async initial(visit) {
      const now = await settingsFor(settings, visit);
      seen.set(visit.ctx, now);
      return Object.fromEntries(free.map((name) => [name, now[name].text]));
    },
    async render(visit, state) {
      const now = seen.get(visit.ctx) ?? (await settingsFor(settings, visit));
      const isKeyReplaced = free.includes('stripe_key') && now.stripe_key.isSet;
      const begun = isKeyReplaced ? await begunAtStripe(stripe.orders, actorOf(visit)) : 0;
      const fields = names.map((name) => (
        <div key={name} class={askedFor[name]}>
          {name === 'stripe_key' && <StripePart {...stripe} />}
          <SettingField name={name} shown={now[name]} />
          {name === 'stripe_key' && isKeyReplaced && <OtherStripeField begun={begun} />}
        </div>
      ));
      return (
        <AreaPage
          frame={visit.frame}
          place={settingsPlace}
          title={words.groups[group].title}
          isBelow
          scripts={['copy.js']}
        >
          <p class="intro">{words.groups[group].lead}</p>
          {free.length > 0 ? (
            <Form state={state} submit={words.submit} cancel={`${visit.frame.root}${here}`}>
              {fields}
            </Form>
          ) : (
            <>
              {fields}
              <ButtonLink href={`${visit.frame.root}${here}`} text={words.back} />
            </>
          )}
        </AreaPage>
      );
    },
    async act(visit, texts) {
      const more = { seen: seen.get(visit.ctx), agreesToOtherStripe: texts[otherStripe] === 'yes' };
      const changed = orFail(await settings.change(withoutEmptySecrets(texts), actorOf(visit), more));
      // Who came from the launch checklist goes on with it.
      const next = visit.query.from === 'launch' ? 'admin' : here;
      return isRefused(changed) ? changed : goTo(next, { notice: 'settings_saved' });
    },
    refusals: {
      setting_fixed: { text: words.isFixed },
      sender_missing: { field: 'mail_from', text: words.senderMissing },
      other_stripe: { field: otherStripe, text: words.stripe.other.ask },
      stripe_incomplete: { field: 'stripe_key', text: words.stripeIncomplete },
      ...faultMessages,
    },
  });
}

/** Fields that are only shown while another one is on: `style.css` has a rule for each class. */
const askedFor: Partial<Readonly<Record<SettingName, string>>> = {
  payment_instructions: 'if-transfers',
  stripe_key: 'if-stripe',
  stripe_webhook_secret: 'if-stripe',
};

/** An empty secret stays as it is. */
function withoutEmptySecrets(texts: Readonly<Record<string, string>>): SettingTexts {
  return Object.fromEntries(
    settingNames.flatMap((name) => (isSecret(name) && texts[name] === '' ? [] : [[name, texts[name]]])),
  );
}

/** What the file contains: each setting with its value, and where that comes from. Of a secret, only whether it is set. */
function exportOf(settings: ShownSettings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    settingNames.map((name) => {
      const { text, isSet, origin } = settings[name];
      return [name, isSecret(name) ? { is_set: isSet, origin } : { value: text, origin }];
    }),
  );
}
