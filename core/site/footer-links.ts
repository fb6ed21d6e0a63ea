import { type Refused, refuse } from '../refusal.ts';

declare const URL: new (
  address: string,
) => { readonly protocol: string; readonly href: string; readonly username: string; readonly password: string };

/** A link at the end of each page. */
export interface FooterLink {
  readonly title: string;
  /** An absolute address of a web page, or `mailto:`. */
  readonly href: string;
}

export const mostFooterLinks = 8;
const longestTitle = 40;
const longestAddress = 500;

/** Reads links, one in each line: `Title https://example.com/page`. */
export function footerLinksOf(text: string): readonly FooterLink[] | Refused<'not_a_link' | 'too_many_links'> {
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
  const parsed = parse(address);
  if (parsed === undefined) return undefined;
  const { protocol, href, username, password } = parsed;
  const isPage = (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
  return isPage || protocol === 'mailto:' ? { title, href } : undefined;
}

function parse(address: string) {
  try {
    return new URL(address);
  } catch {
    return undefined; // The constructor throws for nothing else.
  }
}
