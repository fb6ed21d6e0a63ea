import type { VNode } from 'preact';
import { parseId, toMailId } from '../../../../core/id.ts';
import { type MailEntry, type MailState, mailStates } from '../../../../core/mail/mail.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { Filter, FilterSelect, FilterText } from '../../ui/filter.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { FilteredPaging, NoRows, withAll } from '../filtered-list.tsx';
import { orFail } from '../or-fail.ts';
import { actorOf, page } from '../page.ts';
import { type Choices, choicesIn, chosen, isAny } from '../query.ts';
import type { DashboardTools } from '../tools.ts';
import type { Visit } from '../visit.ts';
import type { AdminTools } from './admin-tools.ts';

const { mails: words } = texts.admin;
const perPage = 50;
const here = 'admin/mails';

export function mailListPage(tools: DashboardTools, { mails }: AdminTools): Endpoint {
  return page(tools, {
    id: 'admin-mails',
    path: `/${here}`,
    audience: 'mails:read',
    async show(visit) {
      const choices = choicesIn(visit, 'state', 'address');
      const before = parseId(visit.query.before ?? '', toMailId);
      const filter = {
        state: chosen(choices.state, mailStates),
        address: choices.address || undefined,
        before,
        limit: perPage + 1,
      };
      const found = orFail(await mails.list(filter, actorOf(visit)));
      return shown(<MailListPage visit={visit} choices={choices} found={found} isFirst={before === undefined} />);
    },
  });
}

function MailListPage({
  visit: { frame },
  choices,
  found,
  isFirst,
}: {
  readonly visit: Visit;
  readonly choices: Choices;
  readonly found: readonly MailEntry[];
  readonly isFirst: boolean;
}): VNode {
  const address = `${frame.root}${here}`;
  const mails = found.slice(0, perPage);
  const last = found.length > perPage ? mails.at(-1) : undefined;
  const test = (
    <a class="button" href={`${address}/test`}>
      {words.test}
    </a>
  );
  const columns: readonly Column<MailEntry>[] = [
    { title: words.made, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: words.subject,
      cell: ({ id, subject }) => (
        <a href={`${address}/${id}`} class="breakable" dir="auto">
          {subject}
        </a>
      ),
    },
    { title: words.to, cell: ({ to }) => <span class="breakable">{to.address}</span> },
    { title: words.state, cell: ({ state }) => <MailTag state={state} /> },
  ];
  return (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'mails' }} title={words.title} actions={test}>
      <Filter isActive={isAny(choices)} clear={address}>
        <FilterText name="address" label={words.address} value={choices.address ?? ''} />
        <FilterSelect name="state" label={words.state} value={choices.state ?? ''} options={withAll(words.states)} />
      </Filter>
      {mails.length === 0 ? (
        <Nothing isFiltered={isAny(choices) || !isFirst} address={address} />
      ) : (
        <List label={words.list} columns={columns} rows={mails} keyOf={({ id }) => id} />
      )}
      <FilteredPaging
        label={words.pages}
        address={address}
        choices={choices}
        isFirst={isFirst}
        next={last && { before: String(last.id) }}
      />
    </AreaPage>
  );
}

function Nothing({ isFiltered, address }: { readonly isFiltered: boolean; readonly address: string }): VNode {
  return isFiltered ? (
    <NoRows title={words.noneFound} advice={words.noneFoundAdvice} href={address} />
  ) : (
    <NoRows title={words.none} advice={words.noneAdvice} href={`${address}/test`} action={words.test} />
  );
}

const looks = {
  queued: 'tag',
  sent: 'tag good',
  kept: 'tag',
  failed: 'tag bad',
} as const satisfies Record<MailState, string>;

export function MailTag({ state }: { readonly state: MailState }): VNode {
  return <span class={looks[state]}>{words.states[state]}</span>;
}
