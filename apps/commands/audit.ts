import { type Command, Option } from 'commander';
import { systemClock } from '../../adapters/node/clock.ts';
import { type Event, type EventType, eventTypes } from '../../core/events/event.ts';
import { toAuditId } from '../../core/id.ts';
import { iso } from '../../core/iso.ts';
import type { AuditFilter } from '../../core/ports/audit-log.ts';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { type AnswerOptions, administer, answering, operator, reads } from './action.ts';
import { line, pastTime, wholeNumber } from './fields.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

interface ListOptions extends AnswerOptions {
  readonly subject?: string;
  /** `--actor` names who made a change. */
  readonly actor?: string;
  readonly type?: EventType;
  readonly from?: number;
  readonly to?: number;
  readonly before?: number;
  readonly limit: number;
}

export function addAuditCommand(program: Command, terminal: Terminal): void {
  const time = reads(pastTime(systemClock.now()));
  answering(
    program
      .command('audit')
      .description('List the changes, who made them and why, newest first')
      .option('--subject <text>', 'only changes of this license key, product slug or e-mail address', reads(line(300)))
      .option('--actor <name>', 'only changes by this actor', reads(line(300)))
      .addOption(new Option('--type <change>', 'only changes of this kind, such as user.added').choices(eventTypes))
      .option(
        '--from <time>',
        'only changes from then on: a date, a date and time, or a span up to now (12h, 30d, 4w); UTC',
        time,
      )
      .option('--to <time>', 'only changes before then', time)
      .option(
        '--before <id>',
        'only changes after this one in the list, for the next page',
        reads(wholeNumber(1, 1e15 - 1)),
      )
      .option('--limit <n>', 'the largest number of changes, 1 to 10000', reads(wholeNumber(1, 10_000)), 100),
  ).action((options: ListOptions) =>
    administer(terminal, options, async (parts) => {
      const { subject, actor, type, from, to, before, limit } = options;
      const filter: AuditFilter = { subject, actor, type, from, to, limit };
      const page = await (await parts.get(t.auditTrail)).list(
        { ...filter, before: before === undefined ? undefined : toAuditId(before) },
        operator(),
      );
      if (isRefused(page)) return page;
      const { entries, next } = page;
      const text = table([
        ['TIME', 'CHANGE', 'SUBJECT', 'ACTOR', 'REASON', 'DETAILS'],
        ...entries.map((entry) => [
          iso(entry.at),
          entry.type,
          entry.subject,
          entry.actor,
          entry.reason ?? '-',
          Object.entries(renderData(entry.data))
            .map(([name, value]) => `${name}=${value}`)
            .join(' '),
        ]),
      ]);
      return {
        json: { events: entries, nextBefore: next },
        text: next === null ? text : `${text}\nMore: --before ${next}`,
      };
    }),
  );
}

/** Renders times in ISO 8601, because they are stored as numbers. */
function renderData(data: Event['data']): Event['data'] {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      name.endsWith('_at') && typeof value === 'number' ? iso(value) : value,
    ]),
  );
}
