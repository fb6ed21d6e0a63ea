import { LRUCache } from 'lru-cache';
import type { VNode } from 'preact';
import type { Described, TextPlace } from './seller-markdown.ts';

/** Rendering is slow for texts that are made to be. Each is rendered once while it is in use. In characters. */
const known = new LRUCache<string, Described>({
  maxSize: 4_000_000,
  sizeCalculation: ({ html }, key) => html.length + key.length,
});

/**
 * Renders the Markdown of a product's description. `base` is the public address of this service. The renderer is loaded
 * at its first use.
 */
export async function describe(text: string, base: string, above: TextPlace['above'] = 1): Promise<Described> {
  const key = `${above} ${base} ${text}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const { renderSellerMarkdown } = await import('./seller-markdown.ts');
  const described = renderSellerMarkdown(text, { base, above });
  known.set(key, described);
  return described;
}

/** The number of characters of notes that one page shows: as many as a description may have. */
const notesOnPage = 20_000;

/** Renders the release notes of versions. Returns them by ordinal, without those that are too long for the page. */
export async function describeNotes(
  versions: readonly { readonly ordinal: number; readonly notes: string }[],
  base: string,
  above: TextPlace['above'],
): Promise<ReadonlyMap<number, Described>> {
  let room = notesOnPage;
  const shown = versions.filter(({ notes }) => {
    room -= notes.length;
    return room >= 0;
  });
  const rendered = shown.map(async ({ ordinal, notes }) => [ordinal, await describe(notes, base, above)] as const);
  return new Map(await Promise.all(rendered));
}

/** The text of a seller. Shows nothing if the text is empty. */
export function Description({ described }: { readonly described: Described | undefined }): VNode | null {
  const html = described?.html ?? '';
  if (html === '') return null;
  // `renderSellerMarkdown` escapes all text and writes only its own elements.
  return <div class="description" dangerouslySetInnerHTML={{ __html: html }} />;
}
