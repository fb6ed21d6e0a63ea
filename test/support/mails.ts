import { event } from '../../core/events/event.ts';
import type { MailId } from '../../core/id.ts';
import { composeMail, type NewMail } from '../../core/mail/mail.ts';
import type { Work } from '../../core/work/work.ts';
import type { Stores } from './backends.ts';
import { by } from './by.ts';

/** A new mail. All its fields have different values. */
export function newMail(createdAt: number, address = 'ada@example.com', name = 'Ada "L" Łove'): NewMail {
  const content = { subject: `Für ${name}`, text: 'Zeile\nzwei 😀\n', html: '<p>Zeile</p>' };
  return composeMail({ name, address }, 'test', content, createdAt);
}

/** Queues mails at a time, one after the other. */
export async function addMails({ mails }: Pick<Stores, 'mails'>, count: number, at: number): Promise<MailId[]> {
  const ids: MailId[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(await mails.add(newMail(at, `m${n}@example.com`), event('mail.tested', `m${n}@example.com`, by, at)));
  }
  return ids;
}

export const subjectsOf = (claimed: readonly Work[]) => claimed.map(({ subjectId }) => subjectId);
