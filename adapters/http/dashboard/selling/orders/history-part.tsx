import type { VNode } from 'preact';
import type { Event } from '../../../../../core/events/event.ts';
import type { AuditEntry } from '../../../../../core/ports/audit-log.ts';
import { orderStates } from '../../../../../core/purchases/order.ts';
import { disputeStates } from '../../../../../core/purchases/payment.ts';
import { type Column, List } from '../../../ui/list.tsx';
import { moneyOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';

const { sellingOrders: words } = texts;
const { history: names } = words;

/** The changes of an order, newest first. `me` is the e-mail address of the reader. */
export function History({
  entries,
  me,
}: {
  readonly entries: readonly AuditEntry[];
  readonly me: string;
}): VNode | null {
  if (entries.length === 0) return null;
  const columns: readonly Column<AuditEntry>[] = [
    { title: names.at, cell: ({ at }) => <Time at={at} /> },
    { title: names.change, cell: ({ type }) => <span class="whole">{texts.admin.events.types[type] ?? type}</span> },
    { title: names.actor, cell: ({ actor }) => <span class="breakable">{nameOf(actor, me)}</span> },
    { title: names.details, cell: (entry) => <Details event={entry} /> },
  ];
  return (
    <section id="history">
      <div class="part">
        <h2>{names.title}</h2>
      </div>
      <List label={names.title} columns={columns} rows={entries} keyOf={({ id }) => id} />
    </section>
  );
}

function nameOf(actor: string, me: string): string {
  if (actor === me) return names.you;
  return Object.hasOwn(words.actors, actor) ? (words.actors[actor] ?? actor) : actor;
}

/** How the order was after the change. Facts that it does not have are left out. */
function Details({ event: { data, reason } }: { readonly event: Event }): VNode | null {
  const currency = String(data.currency ?? 'usd');
  const money = (value: Event['data'][string] | undefined) =>
    typeof value === 'number' && value > 0 ? moneyOf(value, currency) : undefined;
  const state = orderStates.find((one) => one === data.state);
  const dispute = disputeStates.find((one) => one === data.dispute);
  const facts = [
    [names.state, state && words.states[state]],
    [names.total, money(data.total)],
    [names.refunded, money(data.refunded)],
    [names.amount, money(data.amount)],
    [names.dispute, dispute && words.disputes[dispute]],
    [names.reason, reason ?? undefined],
  ] as const;
  const known = facts.filter(([, value]) => value !== undefined);
  if (known.length === 0) return null;
  return (
    <ul class="event-facts">
      {known.map(([name, value]) => (
        <li key={name}>
          <span class="faint">{name}:</span> <span dir="auto">{value}</span>
        </li>
      ))}
    </ul>
  );
}
