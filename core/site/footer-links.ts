import { type Refused, refuse } from '../refusal.ts';

/** A link at the end of each page. */
export interface FooterLink {
  readonly title: string;
  /** An absolute address of a web page, or `mailto:`. As typed. */
  readonly href: string;
}

export const mostFooterLinks = 8;
const longestTitle = 40;
const longestAddress = 500;
const longestText = 5_000;

/** Reads links, one in each line: `Title https://example.com/page`. */
export function footerLinksOf(
  text: string,
): readonly FooterLink[] | Refused<'not_a_link' | 'too_many_links' | 'too_long'> {
  if (text.length > longestText) return refuse('too_long', undefined, { max: longestText });
  const lines = text.split('\n').map((line) => line.trim());
  const links: FooterLink[] = [];
  for (const [at, line] of lines.entries()) {
    if (line === '') continue;
    const link = linkOf(line);
    if (link === undefined) return refuse('not_a_link', undefined, { line: at + 1 });
    links.push(link);
  }
  return links.length > mostFooterLinks ? refuse('too_many_links', undefined, { max: mostFooterLinks }) : links;
}

function linkOf(line: string): FooterLink | undefined {
  const [, title = '', address = ''] = /^(.*\S)\s+(\S+)$/su.exec(line) ?? [];
  if (!/^\P{Cc}+$/u.test(title) || [...title].length > longestTitle || address.length > longestAddress)
    return undefined;
  return webPage.test(address) || mailAddress.test(address) ? { title, href: address } : undefined;
}

/** Without the name of a user, which would look as if it were the host. */
const webPage = /^https?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/iu;
const mailAddress = /^mailto:[^\s@]+@[^\s@]+$/iu;
