import type { ComponentChildren, VNode } from 'preact';
import { knownChains } from '../../../../core/deployments/chains.ts';
import type { DeploymentGroup } from '../../../../core/ports/deployment-figures.ts';
import { type AllFigures, figureLimits, type Grouping } from '../../../../core/selling/deployment-figures.ts';
import { daysFrom, steps } from '../../../../core/selling/usage-hours.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { Plot } from '../../ui/plot.tsx';
import { Day, readableDay } from '../../ui/time.tsx';
import { listWords } from '../../ui/words.ts';
import { Figure } from '../kit/money.tsx';
import { type Owners, ownerLink } from '../kit/people.tsx';
import { addressWith, type Choices } from '../kit/query.ts';
import { chainTitle } from './table.tsx';
import { words as all, type figureDays } from './words.ts';

const { figures: words } = all;

/** The figures by everything, and the accounts among them. */
export interface Groups extends AllFigures {
  readonly owners: Owners;
}

/** The sums of a range, and a plot with its days. */
export function DayPart({
  root,
  groups: { day: groups },
  range: { from, to },
  days: name,
  address,
  choices,
}: Pick<PartsProps, 'root' | 'address' | 'choices' | 'groups'> & {
  readonly range: { readonly from: number; readonly to: number };
  readonly days: (typeof figureDays)[number];
}): VNode {
  const of = new Map(groups.map((one) => [one.day, one]));
  const days = daysFrom(from, (to - from) / steps.day);
  const sum = (what: 'reported' | 'confirmed') => groups.reduce((total, one) => total + one[what], 0);
  // The confirmed ones are among those that were reported, so they stand in front of them.
  const drawn = { reported: 'behind', confirmed: 'bars' } as const;
  const series = (['reported', 'confirmed'] as const).map((what) => ({
    ...{ label: words[what], as: drawn[what] },
    points: days.map((at) => ({ at, value: of.get(at)?.[what] ?? 0 })),
  }));
  return (
    <section>
      <dl class="numbers">
        <Figure name={words.reportedIn(words.rangeIn[name])}>{readableNumber(sum('reported'))}</Figure>
        <Figure name={words.confirmedIn(words.rangeIn[name])}>{readableNumber(sum('confirmed'))}</Figure>
      </dl>
      <PartHead title={words.byDay}>
        <ExportLink href={fileOf(address, choices, 'day')} of={words.byDay} />
      </PartHead>
      <Plot root={root} title={words.plot} unit={words.unit} step="day" series={series} />
    </section>
  );
}

interface PartsProps {
  readonly root: string;
  /** The address of the page, and what it shows. */
  readonly address: string;
  readonly choices: Choices;
  readonly groups: Groups;
  readonly isOfAll: boolean;
}

/** The other figures, each as a table and as a file. */
export function GroupParts({ root, address, choices, groups, isOfAll }: PartsProps): VNode {
  const { mode = '', product = '' } = choices;
  const listed = (filter: Choices, text: ComponentChildren) => (
    <a href={addressWith(`${address}/list`, { ...filter, mode })} class="breakable sentence">
      {text}
    </a>
  );
  const shared = { fileOf: (by: Grouping) => fileOf(address, choices, by) };
  return (
    <>
      <GroupPart
        {...shared}
        by="chain"
        groups={groups.chain}
        first={({ chainId }) =>
          chainId === null ? (
            words.otherChains
          ) : (
            <>
              {product === '' ? listed({ chain: String(chainId) }, chainTitle(chainId)) : chainTitle(chainId)}
              <Explorer chainId={chainId} />
            </>
          )
        }
      />
      <GroupPart
        {...shared}
        by="template"
        groups={groups.template}
        first={({ templateId, title }) =>
          templateId === null
            ? words.noTemplate
            : listed({ template: String(templateId) }, <span dir="auto">{title ?? templateId}</span>)
        }
      />
      <GroupPart
        {...shared}
        by="release"
        groups={groups.release}
        first={({ title, version }) => (
          <span class="breakable sentence">
            <span dir="auto">{title}</span>
            <span class="under" dir="auto">
              {version}
            </span>
          </span>
        )}
      />
      {groups.account === undefined ? (
        <section>
          <PartHead title={words.parts.account.title} />
          <p class="blank">{words.needsProduct}</p>
        </section>
      ) : (
        <GroupPart
          {...shared}
          by="account"
          groups={groups.account}
          first={({ userId }) =>
            userId !== null &&
            (isOfAll
              ? ownerLink(root, userId, groups.owners)
              : listed({ account: String(userId) }, words.accountOf(userId)))
          }
        />
      )}
    </>
  );
}

/** The address of the file with the figures of a page. */
function fileOf(address: string, choices: Choices, by: Grouping): string {
  return addressWith(`${address}/export`, { ...choices, by });
}

function Explorer({ chainId }: { readonly chainId: number }): VNode | null {
  const explorer = knownChains.get(chainId)?.explorer;
  if (explorer === undefined) return null;
  return (
    <span class="under">
      <a href={explorer} rel="noreferrer">
        {explorer.replace('https://', '')}
      </a>
    </span>
  );
}

function ExportLink({ href, of }: { readonly href: string; readonly of: string }): VNode {
  return <ButtonLink href={href} text={listWords.exportCsv} about={words.exportOf(of)} look="small" />;
}

/** One table. Nothing if there are no groups. */
function GroupPart({
  by,
  groups,
  first,
  fileOf,
}: {
  readonly by: keyof typeof words.parts;
  readonly groups: readonly DeploymentGroup[];
  first(group: DeploymentGroup): ComponentChildren;
  fileOf(by: Grouping): string;
}): VNode | null {
  if (groups.length === 0) return null;
  const { title, name, lead } = words.parts[by];
  // Those of a chain are the starts of days.
  const time = (at: number) => (by === 'chain' ? readableDay(at) : <Day at={at} />);
  const columns: readonly Column<DeploymentGroup>[] = [
    { title: name, cell: first },
    ...(by === 'release'
      ? []
      : [{ title: words.reported, isNumber: true, cell: (one: DeploymentGroup) => readableNumber(one.reported) }]),
    { title: words.confirmed, isNumber: true, cell: ({ confirmed }) => readableNumber(confirmed) },
    { title: words.first, cell: ({ firstAt }) => time(firstAt) },
    { title: words.last, cell: ({ lastAt }) => time(lastAt) },
  ];
  const isCut = by !== 'chain' && groups.length === figureLimits.groups;
  return (
    <section>
      <PartHead title={title} lead={isCut ? `${lead} ${words.mostOf(groups.length)}` : lead}>
        <ExportLink href={fileOf(by)} of={title} />
      </PartHead>
      <List label={title} columns={columns} rows={groups} />
    </section>
  );
}
