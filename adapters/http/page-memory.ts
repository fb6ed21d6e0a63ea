import { LRUCache } from 'lru-cache';
import { second } from '../../core/time.ts';
import type { State } from './state.ts';
import type { Surface } from './surface.ts';
import type { Text } from './ui/send-page.ts';

/**
 * For how long a page is kept, and an answer. An answer can be made of a page that is about to be forgotten: a change that
 * another process made is seen after both times together, at the latest.
 */
const lives = { page: 2 * second, answer: second } as const;

/** Bytes of all pages: about 100. Their compressed forms are about a fifth as large. */
const mostBytes = 4 * 1024 ** 2;

export interface KeptPage {
  readonly text: Text;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer as it was sent, without the headers that differ for each call. */
export interface KeptAnswer {
  readonly surface: Surface;
  readonly state: Pick<State, 'envelope' | 'route' | 'endpoint'>;
  readonly etag: string;
  readonly body: Buffer;
  /** Each name, then its value. */
  readonly headers: readonly string[];
  /** The headers of a 304. */
  readonly unchanged: readonly string[];
}

/** What was sent to visitors who are not signed in. */
export interface PageMemory {
  /** Forgets all. Whoever changes what visitors see calls it after the change. */
  forget(): void;
  find(name: string): KeptPage | undefined;
  /** Keeps a page, unless something has changed since `begun`. */
  keep(name: string, page: KeptPage, begun: number): void;
  findAnswer(name: string): KeptAnswer | undefined;
  /** The same for an answer. */
  keepAnswer(name: string, answer: KeptAnswer, begun: number): void;
  /** Counts the changes. */
  changes(): number;
}

export function createPageMemory(): PageMemory {
  const pages = new LRUCache<string, KeptPage>({
    maxSize: mostBytes,
    sizeCalculation: ({ text: { bytes } }, name) => bytes.length + 2 * name.length,
    ttl: lives.page,
  });
  const answers = new LRUCache<string, KeptAnswer>({
    maxSize: mostBytes,
    sizeCalculation: ({ body, headers }, name) => body.length + 2 * (name.length + headers.join().length),
    ttl: lives.answer,
  });
  let changes = 0;
  return {
    forget() {
      changes += 1;
      pages.clear();
      answers.clear();
    },
    find: (name) => pages.get(name),
    keep(name, page, begun) {
      if (begun === changes) pages.set(name, page);
    },
    findAnswer: (name) => answers.get(name),
    keepAnswer(name, answer, begun) {
      if (begun === changes) answers.set(name, answer);
    },
    changes: () => changes,
  };
}
