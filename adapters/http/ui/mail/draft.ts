import { greetable } from '../../../../core/mail/letter.ts';
import { frameTexts } from './texts.ts';

/** Our own words, or `given`: what a person typed or a browser sent, in any language. */
export type Piece = string | { readonly given: string };
/** The pieces of one paragraph. */
export type Paragraph = readonly Piece[];

/** The parts of every mail, besides the greeting and the name of the site. */
export interface Draft {
  readonly subject: string;
  /** Greeted by this name. */
  readonly name?: string;
  readonly happened: readonly Paragraph[];
  /** `path`: that of a page about the fact. */
  readonly facts?: readonly (readonly [label: string, fact: string, path?: string])[];
  readonly link: {
    readonly label: string;
    readonly path: string;
    /** The token of a link that works once, within `life` milliseconds. It is behind a `#`, so that no log contains it. */
    readonly code?: { readonly token: string; readonly life: number };
  };
  /** Instructions in case somebody else caused the mail. */
  readonly otherwise: Paragraph;
}

/** The text of a mail, for programs that show no HTML. Each address is on a line of its own. */
export function plainText(draft: Draft, site: string, url: string): string {
  const { happened, facts = [], link, otherwise } = draft;
  const { code } = link;
  const paragraphs = [
    greetingOf(draft),
    ...happened.map(plain),
    facts.map(([label, fact, path]) => `${label}: ${oneLine(fact)}${path ? ` ${url}${path}` : ''}`).join('\n'),
    `${link.label}:\n${addressOf(draft, url)}`,
    ...(code ? [frameTexts.life(code.life), `${frameTexts.code}\n${code.token}`] : []),
    plain(otherwise),
    `-- \n${site}\n${url}`,
  ];
  return `${paragraphs.filter((one) => one !== '').join('\n\n')}\n`;
}

/** The line that lists of mails show beside the subject: the first thing that the mail says. */
export function previewOf({ happened: [first = []] }: Draft): string {
  return plain(first);
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

/** The path of the page of an order. */
export const pathOfOrder = (token: string) => `/orders/${token}`;
/** The link to that page. */
export const openOrder = (token: string) => ({ label: 'Open your order', path: pathOfOrder(token) });
