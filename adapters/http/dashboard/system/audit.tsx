import type { AuditTrail } from '../../../../core/administration/audit-trail.ts';
import { type EventType, eventTypes, isOfOrder } from '../../../../core/events/event.ts';
import { parseId, toAuditId } from '../../../../core/id.ts';
import type { AuditEntry } from '../../../../core/ports/audit-log.ts';
import type { Endpoint } from '../../surface.ts';
import { type Column, List } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';
import { EventFacts, eventWords } from '../kit/history.tsx';
import { list } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { addressWith, chosen, startOf } from '../kit/query.ts';
import { audit as words } from './words.ts';

const perPage = 50;

export function auditPages(tools: DashboardTools, trail: AuditTrail): Endpoint[] {
  return list(tools, {
    id: 'admin-audit',
    place: { area: 'admin', at: 'audit' },
    audience: 'audit:read',
    filters: {
      subject: { label: words.subject },
      actor: { label: words.actor },
      type: { label: words.type, options: withAll(eventWords.types) },
      from: { label: words.from, isDate: true },
      to: { label: words.to, isDate: true },
    },
    afterName: 'before',
    async find({ choices: { subject, actor, type, from, to }, after, seller }) {
      const filter = {
        subject: subject || undefined,
        actor: actor || undefined,
        type: chosen(type, eventTypes),
        from: startOf(from),
        to: startOf(to, 1),
        before: parseId(after ?? '', toAuditId),
        limit: perPage,
      };
      const { entries, next } = orFail(await trail.list(filter, seller.actor));
      return { rows: entries, next };
    },
    show: ({ rows }, { address }) => ({
      table: <List label={words.list} columns={columnsOf(address)} rows={rows} />,
    }),
    none: { title: words.none, advice: words.noneAdvice },
    pages: words.pages,
  });
}

function columnsOf(address: string): readonly Column<AuditEntry>[] {
  const link = (name: 'subject' | 'actor', value: string, text = value) => (
    <a href={addressWith(address, { [name]: value })} class="breakable">
      <span dir="auto">{text}</span>
    </a>
  );
  return [
    { title: words.at, cell: ({ at }) => <Time at={at} /> },
    // Two in one column, so that all columns fit on a small screen.
    {
      title: words.typeAndSubject,
      cell: ({ type, subject }) => (
        <>
          {nameOf(type)}
          <span class="under">{link('subject', subject, subjectName(type, subject))}</span>
        </>
      ),
    },
    { title: words.actor, cell: ({ actor }) => link('actor', actor, actorName(actor)) },
    { title: words.details, cell: (entry) => <EventFacts event={entry} /> },
  ];
}

/** Orders have numbers only. */
function subjectName(type: EventType, subject: string): string {
  return isOfOrder(type) && /^\d+$/.test(subject) ? words.order(subject) : subject;
}

function actorName(actor: string): string {
  return Object.hasOwn(words.actors, actor) ? (words.actors[actor] ?? actor) : actor;
}

/** Other versions may have stored kinds of changes that this one does not know. */
function nameOf(type: EventType): string {
  return eventWords.types[type] ?? type;
}
