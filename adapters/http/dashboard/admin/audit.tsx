import type { VNode } from 'preact';
import type { AuditPage } from '../../../../core/administration/audit-trail.ts';
import { type EventType, eventTypes } from '../../../../core/events/event.ts';
import { parseId, toAuditId } from '../../../../core/id.ts';
import type { AuditEntry } from '../../../../core/ports/audit-log.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { Filter, FilterDate, FilterSelect, FilterText } from '../../ui/filter.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { FilteredPaging, NoRows, withAll } from '../filtered-list.tsx';
import { orFail } from '../or-fail.ts';
import { actorOf, page } from '../page.ts';
import { addressWith, type Choices, choicesIn, chosen, isAny, startOf } from '../query.ts';
import type { DashboardTools } from '../tools.ts';
import type { Visit } from '../visit.ts';
import type { AdminTools } from './admin-tools.ts';
import { EventFacts } from './event-facts.tsx';

const { audit: words, events } = texts.admin;
const perPage = 50;
const here = 'admin/audit';

export function auditPage(tools: DashboardTools, { trail }: AdminTools): Endpoint {
  return page(tools, {
    id: 'admin-audit',
    path: `/${here}`,
    audience: 'audit:read',
    async show(visit) {
      const choices = choicesIn(visit, 'subject', 'actor', 'type', 'from', 'to');
      const before = parseId(visit.query.before ?? '', toAuditId);
      const { subject, actor, type, from, to } = choices;
      const filter = {
        subject: subject || undefined,
        actor: actor || undefined,
        type: chosen(type, eventTypes),
        from: startOf(from),
        to: startOf(to, 1),
        before,
        limit: perPage,
      };
      const found = orFail(await trail.list(filter, actorOf(visit)));
      return shown(<TrailPage visit={visit} choices={choices} found={found} isFirst={before === undefined} />);
    },
  });
}

function TrailPage({
  visit: { frame },
  choices,
  found: { entries, next },
  isFirst,
}: {
  readonly visit: Visit;
  readonly choices: Choices;
  readonly found: AuditPage;
  readonly isFirst: boolean;
}): VNode {
  const address = `${frame.root}${here}`;
  const { subject = '', actor = '', type = '', from = '', to = '' } = choices;
  const link = (name: 'subject' | 'actor', value: string) => (
    <a href={addressWith(address, { [name]: value })} class="breakable">
      <span dir="auto">{value}</span>
    </a>
  );
  const columns: readonly Column<AuditEntry>[] = [
    { title: words.at, cell: ({ at }) => <Time at={at} /> },
    { title: words.type, cell: ({ type }) => <span class="whole">{nameOf(type)}</span> },
    { title: words.subject, cell: ({ subject }) => link('subject', subject) },
    { title: words.actor, cell: ({ actor }) => link('actor', actor) },
    { title: words.details, cell: (entry) => <EventFacts event={entry} /> },
  ];
  return (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'audit' }} title={words.title}>
      <Filter isActive={isAny(choices)} clear={address}>
        <FilterText name="subject" label={words.subject} value={subject} />
        <FilterText name="actor" label={words.actor} value={actor} />
        <FilterSelect name="type" label={words.type} value={type} options={withAll(events.types)} />
        <FilterDate name="from" label={words.from} value={from} />
        <FilterDate name="to" label={words.to} value={to} />
      </Filter>
      {entries.length === 0 ? (
        <NoRows title={words.none} advice={words.noneAdvice} href={address} />
      ) : (
        <List label={words.list} columns={columns} rows={entries} keyOf={({ id }) => id} />
      )}
      <FilteredPaging
        label={words.pages}
        address={address}
        choices={choices}
        isFirst={isFirst}
        next={next === null ? undefined : { before: String(next) }}
      />
    </AreaPage>
  );
}

/** Other versions may have stored kinds of changes that this one does not know. */
function nameOf(type: EventType): string {
  return events.types[type] ?? type;
}
