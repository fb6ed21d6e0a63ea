import { siteTexts } from '../../../core/site/setting.ts';
import { isUnder } from '../surface.ts';

const prefixes = [
  '/robots.txt',
  '/llms.txt',
  '/sitemap.xml',
  '/sitemap',
  '/embed',
  '/share',
  '/sellers',
  '/logo',
  '/marketplace',
  '/media',
  '/files',
  '/docs',
  '/openapi.json',
  '/assets',
];

const texts: ReadonlySet<string> = new Set(siteTexts.map((text) => `/${text}`));

export function ownsSite(path: string): boolean {
  return path === '/' || isTextPath(path) || prefixes.some((prefix) => isUnder(path, prefix));
}

/** Whether a text of the owner can be here. */
function isTextPath(path: string): boolean {
  return texts.has(path.toLowerCase().replace(/\/$/, ''));
}
