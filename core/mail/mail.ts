import type { Event } from '../events/event.ts';
import type { MailId } from '../id.ts';
import type { Change } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import { day } from '../time.ts';
import type { MailKind } from './letter.ts';

/** How long mails are kept, in milliseconds. */
export const keptFor = 30 * day;

/** The longest name and subject, in characters. */
const longest = 200;

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailbox {
  /** May be empty. */
  readonly name: string;
  readonly address: string;
}

/** A mail that is not stored yet. Made by `composeMail` only. */
export interface NewMail extends MailContent {
  readonly kind: MailKind;
  readonly to: Mailbox;
  readonly createdAt: Instant;
}

export const mailStates = ['queued', 'sent', 'kept', 'failed'] as const;
/** `kept`: there was no mail server, so the mail can only be read here. */
export type MailState = (typeof mailStates)[number];

/** A stored mail without its text. */
export interface MailEntry extends Omit<NewMail, 'text' | 'html'> {
  readonly id: MailId;
  readonly state: MailState;
  /** Attempts since it was last queued. */
  readonly attempts: number;
  /** The error of the last attempt, without secrets. */
  readonly error: string | null;
  /** When it was sent, kept or failed. */
  readonly settledAt: Instant | null;
  /** The time of the next attempt. Only for a queued mail. */
  readonly dueAt: Instant | null;
}

export interface Mail extends MailEntry, MailContent {}

/**
 * Whether administrators may read the text. A mail that will arrive is private: whoever reads a queued one could
 * request a new password for somebody else and use the link first. The other mails may have to be handed over, or
 * repaired.
 */
const hasReadableText = {
  queued: false,
  sent: false,
  kept: true,
  failed: true,
} as const satisfies Record<MailState, boolean>;

/** The text that an administrator may read. It can contain a link with which its receiver signs in. */
export function readableText({ state, text }: Mail): string | undefined {
  return hasReadableText[state] ? text : undefined;
}

/**
 * Makes a mail. Name and subject become one line without control characters, because they become header lines. Throws if
 * the address is not one plain address: addresses are checked when they come in.
 */
export function composeMail(to: Mailbox, kind: MailKind, content: MailContent, createdAt: Instant): NewMail {
  if (!isPlainAddress(to.address)) throw new Error('A mail cannot be sent to a text that is not one e-mail address.');
  return {
    kind,
    to: { name: headerText(to.name), address: to.address },
    subject: headerText(content.subject),
    text: storable(content.text),
    html: storable(content.html),
    createdAt,
  };
}

/** Whether a text is one address, without a name, comments, lists or quotes. */
export function isPlainAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u.test(text);
}

/** One line of at most 200 characters. Control characters, line separators and several blanks become one blank. */
export function headerText(text: string): string {
  const line = storable(text)
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('=?', '= ?') // Many programs would decode it, also inside quotes.
    .trim();
  return [...line].slice(0, longest).join('');
}

/** Databases and mails cannot contain NUL or halves of surrogate pairs. */
function storable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Cs}/gu, '\ufffd');
}

/** Queues a failed or kept mail again. */
export function queueAgain(mail: Mail, event: Event): Change<Mail> | Refused<'mail_sent' | 'mail_queued'> {
  switch (mail.state) {
    case 'sent':
      return refuse('mail_sent', `Mail ${mail.id} has been sent already.`);
    case 'queued':
      return refuse('mail_queued', `Mail ${mail.id} is queued already.`);
    case 'kept':
    case 'failed':
      return {
        after: { ...mail, state: 'queued', attempts: 0, error: null, settledAt: null, dueAt: event.at },
        event,
      };
  }
}
