import type { Letter } from '../mail/letter.ts';
import type { MailContent } from '../mail/mail.ts';

/** Writes the text of a mail, plain and as HTML in which all facts are escaped. */
export type WriteLetter = (letter: Letter) => MailContent;
