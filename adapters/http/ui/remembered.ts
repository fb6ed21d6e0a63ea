import { LRUCache } from 'lru-cache';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { fill } from './html.ts';

/** The most texts that one function remembers. */
const most = 1_000;

/** Makes a function that remembers its texts, for formats that cost more than the rest of a cell. */
export function remembered<Of extends string | number>(make: (of: Of) => string): (of: Of) => string {
  const texts = new Map<Of, string>();
  return (of) => {
    let text = texts.get(of);
    if (text === undefined) {
      text = make(of);
      if (texts.size >= most) texts.clear();
      texts.set(of, text);
    }
    return text;
  };
}

/** Limits of what one component remembers: the number of entries, and the sum of their characters. */
const bounds = { max: 500, maxSize: 4_000_000 };

/**
 * Returns a component that remembers its HTML, for a part that many pages share. Its properties must be plain data, and only they
 * decide what it shows.
 */
export function keptHtml<Facts extends object>(component: (facts: Facts) => VNode): (facts: Facts) => VNode {
  const kept = new LRUCache<string, readonly [string]>({
    ...bounds,
    sizeCalculation: ([text], facts) => text.length + facts.length,
  });
  return (facts) => {
    const name = JSON.stringify(facts);
    let parts = kept.get(name);
    if (parts === undefined) {
      parts = [renderToString(component(facts))];
      kept.set(name, parts);
    }
    return fill(parts, []);
  };
}
