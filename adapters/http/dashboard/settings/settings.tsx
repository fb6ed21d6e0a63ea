import type { VNode } from 'preact';
import { isRefused } from '../../../../core/refusal.ts';
import {
  isSecret,
  isSensitive,
  type SettingName,
  type SettingTexts,
  settingNames,
} from '../../../../core/site/setting.ts';
import type { ShownSetting, ShownSettings, SiteSettings } from '../../../../core/site/site-settings.ts';
import type { Context } from '../../state.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm, Form } from '../../ui/form.tsx';
import type { Frame } from '../../ui/frame.ts';
import { Facts, typed } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { form } from '../kit/form.ts';
import { actorOf, admit, type DashboardTools, orFail, page, type SignedInVisit } from '../kit/page.ts';
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
const place = { area: 'admin', at: 'settings' } as const;
const audience = 'settings:manage';
/** In characters. */
const longest = 500;

async function settingsFor(settings: SiteSettings, visit: SignedInVisit): Promise<ShownSettings> {
  return orFail(await settings.show(actorOf(visit)));
}

/** The settings of the site: all of them, a form for each group, and a file with their values. */
export function settingPages(
  tools: DashboardTools,
  { settings, pictures, ...stripe }: StripeTools & LogoTools & { readonly settings: SiteSettings },
): Endpoint[] {
  return [
    page(tools, {
      id: 'admin-settings',
      path: `/${here}`,
      audience,
      show: async (visit) => shown(<SettingsPage visit={visit} settings={await settingsFor(settings, visit)} />),
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
      const fields = names.flatMap((name) => [
        <SettingField key={name} name={name} shown={now[name]} />,
        name === 'stripe_key' && isKeyReplaced && <OtherStripeField key="other" begun={begun} />,
        name === 'take_stripe' && <StripePart key="stripe" {...stripe} />,
      ]);
      return (
        <AreaPage frame={visit.frame} place={place} title={words.groups[group].title} isBelow scripts={['copy.js']}>
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

/** An empty secret stays as it is. */
function withoutEmptySecrets(texts: Readonly<Record<string, string>>): SettingTexts {
  return Object.fromEntries(
    settingNames.flatMap((name) => (isSecret(name) && texts[name] === '' ? [] : [[name, texts[name]]])),
  );
}

function SettingsPage({
  visit: { frame },
  settings,
}: {
  readonly visit: SignedInVisit;
  readonly settings: ShownSettings;
}): VNode {
  return (
    <AreaPage
      frame={frame}
      place={place}
      title={words.title}
      actions={
        <a class="button" href={`${frame.root}${here}/export`} download>
          {words.exportAll}
        </a>
      }
    >
      <p class="intro">{words.lead}</p>
      {Object.entries(groups).map(([group, names]) => {
        const { title, lead } = words.groups[group as GroupName];
        return (
          <section key={group} class="narrow setting-group">
            <PartHead title={title} lead={lead}>
              <div class="choices">
                {group === 'mail' && (
                  <ButtonLink href={`${frame.root}${areas.admin.mails}/test`} text={words.test} look="small" />
                )}
                {group === 'payments' && settings.stripe_key.isSet && (
                  <ButtonForm action={`${frame.root}${here}/payments/test`} label={words.stripe.test} />
                )}
                <ButtonLink href={`${frame.root}${here}/${group}`} text={words.change} about={title} look="small" />
              </div>
            </PartHead>
            <Facts
              facts={names.map((name) => [
                words.settings[name].label,
                <Value key={name} name={name} shown={settings[name]} frame={frame} />,
              ])}
            />
          </section>
        );
      })}
    </AreaPage>
  );
}

function Value({
  name,
  shown: { text, isSet, origin, variable },
  frame: { root, look },
}: {
  readonly frame: Frame;
  readonly name: SettingName;
  readonly shown: ShownSetting;
}): VNode {
  const isHidden = isSecret(name) && isSet;
  return (
    <>
      {isHidden ? (
        words.secretOf(isSet)
      ) : name === 'logo' && look?.logo ? (
        <img class="logo" src={`${root}${look.logo}`} alt={words.settings.logo.label} />
      ) : text === '' ? (
        <span class="faint">{words.none}</span>
      ) : (
        <Text text={words.settings[name].choices?.[text] ?? text} />
      )}{' '}
      {origin === 'environment' && <span class="tag">{words.setBy(variable ?? '')}</span>}
    </>
  );
}

/** Long texts are not repeated. */
function Text({ text }: { readonly text: string }): VNode {
  if (text.length > longest) return <span>{words.longText([...text].length)}</span>;
  const [first = '', ...more] = text.split('\n');
  if (more.length === 0) return typed(first);
  return (
    <>
      {[first, ...more].map((line) => (
        <div key={line}>{typed(line)}</div>
      ))}
    </>
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
