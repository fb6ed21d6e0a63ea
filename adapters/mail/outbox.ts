import type { Mailer } from '../../core/ports/mailer.ts';

/** Sends nothing. All mails can be read in the database. */
export const outbox: Mailer = { send: async () => 'kept' };
