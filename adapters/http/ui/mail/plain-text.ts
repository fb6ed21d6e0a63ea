import { greetable } from '../../../../core/mail/letter.ts';
import type { Draft, Paragraph } from './draft.ts';
import { frameTexts } from './texts.ts';

/** The text of a mail, for programs that show no HTML. Each address is on a line of its own. */
export function plainText(draft: Draft, site: string, url: string): string {
  const { happened, facts = [], link, otherwise } = draft;
  const { code } = link;
  const paragraphs = [
    greetingOf(draft),
    ...happened.map(plain),
    facts.map(([label, fact]) => `${label}: ${oneLine(fact)}`).join('\n'),
    `${link.label}:\n${addressOf(draft, url)}`,
    ...(code ? [frameTexts.life(code.life), `${frameTexts.code}\n${code.token}`] : []),
    plain(otherwise),
    `-- \n${site}\n${url}`,
  ];
  return `${paragraphs.filter((one) => one !== '').join('\n\n')}\n`;
}

/** The link of a mail. The token is behind a `#`, so that neither a log nor another site gets it. */
export function addressOf({ link: { path, code } }: Draft, url: string): string {
  return `${url}${path}${code ? `#${code.token}` : ''}`;
}

function greetingOf({ name = '' }: Draft): string {
  const shown = greetable(name);
  return shown === '' ? `${frameTexts.greeting},` : `${frameTexts.greeting} ${shown},`;
}

function plain(paragraph: Paragraph): string {
  return paragraph.map((piece) => (typeof piece === 'string' ? piece : oneLine(piece.given))).join('');
}

/** Puts a text that somebody typed on one line, so that no part of it can look like a paragraph of ours. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, ' ').trim();
}
