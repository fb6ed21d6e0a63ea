import type { Knex } from 'knex';
import type { MailState } from '../../../core/mail/mail.ts';
import type { Settled, WorkResults } from '../../../core/work/work.ts';
import type { MailRow } from './mail-rows.ts';

/** Stores how the attempts to send mails ended. Equal results are written by one statement. */
export async function recordMails(trx: Knex.Transaction, settled: readonly Settled[]): Promise<void> {
  const groups = new Map<string, { readonly values: Partial<MailRow>; readonly ids: number[] }>();
  for (const one of settled) {
    const values = resultOf(one);
    if (values === undefined) continue;
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? { values, ids: [] };
    group.ids.push(one.work.subjectId);
    groups.set(key, group);
  }
  for (const { values, ids } of groups.values()) await trx<MailRow>('mails').whereIn('id', ids).update(values);
}

function resultOf({ work: { attempt: attempts }, outcome, at }: Settled): Partial<MailRow> | undefined {
  const ended = (state: MailState, error: string | null) => ({ state, attempts, error, settled_at: at });
  switch (outcome.kind) {
    case 'done':
      return ended(outcome.result as WorkResults['mail'], null);
    case 'failed':
      return ended('failed', outcome.error);
    case 'again':
      return { attempts, error: outcome.error };
    case 'later':
    case 'given back':
      return undefined;
  }
}
