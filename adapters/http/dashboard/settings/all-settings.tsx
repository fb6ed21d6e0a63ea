import type { VNode } from 'preact';
import { isSecret, type SettingName } from '../../../../core/site/setting.ts';
import type { ShownSetting, ShownSettings } from '../../../../core/site/site-settings.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import type { Frame } from '../../ui/frame.ts';
import { Facts, typed } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import type { SignedInVisit } from '../kit/page.ts';
import { words as walletWords } from '../wallets/words.ts';
import { type GroupName, groups } from './groups.ts';
import { words } from './words.ts';

const here = areas.admin.settings;
export const settingsPlace = { area: 'admin', at: 'settings' } as const;
/** In characters. */
const longest = 500;

/** All settings, with the way to change them. */
export function SettingsPage({
  visit: { frame },
  settings,
  takesUsdc,
}: {
  readonly visit: SignedInVisit;
  readonly takesUsdc: boolean;
  readonly settings: ShownSettings;
}): VNode {
  return (
    <AreaPage
      frame={frame}
      place={settingsPlace}
      actions={
        <a class="button" href={`${frame.root}${here}/export`} download>
          {words.exportAll}
        </a>
      }
    >
      <p class="intro">{words.lead}</p>
      {first && <Group group={first} settings={settings} frame={frame} />}
      <ul class="rows panel">
        <li class="row">
          <div class="about">
            <h2>{words.invoices.title}</h2>
            <p>{words.invoices.lead}</p>
          </div>
          <div class="choices">
            <ButtonLink
              href={`${frame.root}${here}/invoices`}
              text={words.change}
              about={words.invoices.title}
              look="small"
            />
          </div>
        </li>
        {takesUsdc && (
          <li class="row">
            <div class="about">
              <h2>{walletWords.title}</h2>
              <p>{walletWords.settingsLead}</p>
            </div>
            <div class="choices">
              <ButtonLink
                href={`${frame.root}${here}/wallets`}
                text={words.change}
                about={walletWords.title}
                look="small"
              />
            </div>
          </li>
        )}
        {alone.map((group) => (
          <li key={group} class="row">
            <div class="about">
              <h2>{words.groups[group].title}</h2>
              {groups[group].map((name) => (
                <p key={name}>
                  <Value name={name} shown={settings[name]} frame={frame} />
                </p>
              ))}
            </div>
            <Acts group={group} settings={settings} root={frame.root} />
          </li>
        ))}
      </ul>
      {others.map((group) => (
        <Group key={group} group={group} settings={settings} frame={frame} />
      ))}
    </AreaPage>
  );
}

const groupNames = Object.keys(groups) as GroupName[];
/** The settings that have a page of their own are rows of one list. */
const alone = groupNames.filter((group) => groups[group].length === 1);
const [first, ...others] = groupNames.filter((group) => groups[group].length > 1);

interface GroupFacts {
  readonly group: GroupName;
  readonly settings: ShownSettings;
}

/** Settings that are changed together. If one variable of the environment sets them all, it is named once. */
function Group({ group, settings, frame }: GroupFacts & { readonly frame: Frame }): VNode {
  const { title, lead } = words.groups[group];
  const fixedBy = variableOf(groups[group].map((name) => settings[name]));
  return (
    <section class="panel setting-group">
      <PartHead title={title} lead={lead} isFirst>
        <Acts group={group} settings={settings} root={frame.root} fixedBy={fixedBy} />
      </PartHead>
      <Facts
        facts={groups[group].map((name) => [
          words.settings[name].label,
          <Value key={name} name={name} shown={settings[name]} frame={frame} isGrouped={fixedBy !== undefined} />,
        ])}
      />
    </section>
  );
}

/** The variable that sets all of these. */
function variableOf([first, ...more]: readonly ShownSetting[]): string | undefined {
  if (first?.origin !== 'environment') return undefined;
  return more.every(({ variable }) => variable === first.variable) ? first.variable : undefined;
}

function Acts({
  group,
  settings,
  root,
  fixedBy,
}: GroupFacts & { readonly root: string; readonly fixedBy?: string | undefined }): VNode {
  return (
    <div class="choices">
      {fixedBy !== undefined && <span class="tag">{words.setBy(fixedBy)}</span>}
      {group === 'mail' && <ButtonLink href={`${root}${areas.admin.mails}/test`} text={words.test} look="small" />}
      {group === 'payments' && settings.stripe_key.isSet && (
        <ButtonForm action={`${root}${here}/payments/test`} label={words.stripe.test} />
      )}
      {fixedBy === undefined && (
        <ButtonLink
          href={`${root}${here}/${group}`}
          text={words.change}
          about={words.groups[group].title}
          look="small"
        />
      )}
    </div>
  );
}

function Value({
  name,
  shown: { text, isSet, origin, variable },
  frame: { root, look },
  isGrouped = false,
}: {
  /** Whether the group says which variable sets it. */
  readonly isGrouped?: boolean;
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
      {origin === 'environment' && !isGrouped && <span class="tag">{words.setBy(variable ?? '')}</span>}
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
