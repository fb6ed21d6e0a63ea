import escapeHtml from 'escape-html';
import type { Letter, MailContent, MailKind } from '../../core/mail/mail.ts';
import type { WriteLetter } from '../../core/ports/mail-texts.ts';

interface Draft {
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

const drafts = {
  test: ({ actor }: Letter, site: string): Draft => ({
    subject: 'Test mail from Latchkey',
    paragraphs: [
      `This is a test mail of the Latchkey server at ${site}.`,
      `${actor} asked for it. If you can read this, mails arrive. You need not do anything.`,
    ],
  }),
} satisfies Record<MailKind, (letter: Letter, site: string) => Draft>;

/** `site` is the public address of this service. */
export function createLetters(site: string): WriteLetter {
  return (letter): MailContent => {
    const { subject, paragraphs } = drafts[letter.kind](letter, site);
    return {
      subject,
      text: `${paragraphs.join('\n\n')}\n`,
      html: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>\n${paragraphs
        .map((one) => `<p>${escapeHtml(one)}</p>\n`)
        .join('')}</body>\n</html>\n`,
    };
  };
}
