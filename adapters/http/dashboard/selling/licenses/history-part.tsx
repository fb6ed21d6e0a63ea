import type { VNode } from 'preact';
import type { AuditEntry } from '../../../../../core/ports/audit-log.ts';
import type { LicenseHistory } from '../../../../../core/selling/finding.ts';
import { type Column, List } from '../../../ui/list.tsx';
import { Paging } from '../../../ui/paging.tsx';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { EventFacts } from '../../admin/event-facts.tsx';

const { history: words } = texts.sellingLicenses;
const { events } = texts.admin;

/** So many changes are on one page. */
export const historyPage = 20;

/** The changes of a license, newest first. */
export function HistoryPart({
  history: { entries, next },
  isFirst,
  address,
  me,
}: {
  readonly history: LicenseHistory;
  readonly isFirst: boolean;
  /** The address of the license. */
  readonly address: string;
  /** The e-mail address of the reader. */
  readonly me: string;
}): VNode {
  const columns: readonly Column<AuditEntry>[] = [
    { title: words.at, cell: ({ at }) => <Time at={at} /> },
    { title: words.change, cell: ({ type }) => <span class="whole">{events.types[type] ?? type}</span> },
    { title: words.actor, cell: ({ actor }) => <span class="breakable">{nameOf(actor, me)}</span> },
    { title: words.details, cell: (entry) => <EventFacts event={entry} /> },
  ];
  return (
    <section id="history">
      <div class="part">
        <h2>{words.title}</h2>
      </div>
      {entries.length === 0 ? (
        <p class="blank">{isFirst ? words.none : words.noneOlder}</p>
      ) : (
        <List label={words.title} columns={columns} rows={entries} keyOf={({ id }) => id} />
      )}
      <Paging
        label={words.pages}
        back={isFirst ? undefined : { href: `${address}#history`, title: words.newest }}
        on={next === undefined ? undefined : { href: `${address}?before=${next}#history`, title: words.older }}
      />
    </section>
  );
}

function nameOf(actor: string, me: string): string {
  if (actor === me) return words.you;
  return Object.hasOwn(words.actors, actor) ? (words.actors[actor] ?? actor) : actor;
}
