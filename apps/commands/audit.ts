import type { Command } from 'commander';
import type { Event } from '../../core/events/event.ts';
import { iso } from '../../core/iso.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import { t } from '../wiring/tokens.ts';
import { type AnswerOptions, administer, answering, reads } from './action.ts';
import { line, wholeNumber } from './fields.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

export function addAuditCommand(program: Command, terminal: Terminal): void {
  answering(
    program
      .command('audit')
      .description('List the changes, who made them and why, newest first')
      .option('--subject <text>', 'only changes of this license key, product slug or e-mail address', reads(line(300)))
      .option('--limit <n>', 'the largest number of changes, 1 to 10000', reads(wholeNumber(1, 10_000)), 100),
  ).action((options: AnswerOptions & { subject?: string; limit: number }) =>
    administer(terminal, options, async (parts) => {
      const { subject, limit } = options;
      const audit = await parts.get(t.auditLog);
      const events = await audit.list({ limit, subject: subject && canonical(subject) });
      return {
        json: { events },
        text: table([
          ['TIME', 'CHANGE', 'SUBJECT', 'ACTOR', 'REASON', 'DETAILS'],
          ...events.map(({ at, type, subject, actor, reason, data }) => [
            iso(at),
            type,
            subject,
            actor,
            reason ?? '-',
            Object.entries(renderData(data))
              .map(([name, value]) => `${name}=${value}`)
              .join(' '),
          ]),
        ]),
      };
    }),
  );
}

/** Returns a subject as the audit trail stores it: license keys in upper case, all others in lower case. */
function canonical(subject: string): string {
  return parseLicenseKey(subject) ?? subject.toLowerCase();
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
