import { LRUCache } from 'lru-cache';
import { second } from '../../../core/time.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { prefersPage, sendText, type Text } from '../ui/send-page.ts';
import type { Cookies } from '../visitor/cookies.ts';

/** For how long a page is kept. A change that another process made is seen so much later. */
const life = 3 * second;

/** Bytes of all pages: about 100. Their compressed forms are about a fifth as large. */
const mostBytes = 4 * 1024 ** 2;

/** Longer addresses are not kept. Few links are so long. */
const longestAddress = 1_000;

interface KeptPage {
  readonly text: Text;
  readonly headers: Readonly<Record<string, string>>;
}

/** The pages that were rendered for visitors who are not signed in. */
export interface PageMemory {
  /** Forgets all. Whoever changes what visitors see calls it after the change. */
  forget(): void;
  find(name: string): KeptPage | undefined;
  /** Keeps a page, unless something has changed since `begun`. */
  keep(name: string, page: KeptPage, begun: number): void;
  /** Counts the changes. */
  changes(): number;
}

export function createPageMemory(): PageMemory {
  const pages = new LRUCache<string, KeptPage>({
    maxSize: mostBytes,
    sizeCalculation: ({ text: { bytes } }, name) => bytes.length + 2 * name.length,
    ttl: life,
  });
  let changes = 0;
  return {
    forget() {
      changes += 1;
      pages.clear();
    },
    find: (name) => pages.get(name),
    keep(name, page, begun) {
      if (begun === changes) pages.set(name, page);
    },
    changes: () => changes,
  };
}

interface Keeping {
  readonly memory: PageMemory;
  readonly cookies: Cookies;
  /** Returns the same object until the settings of the site change. */
  settings(): object;
}

/**
 * Returns the endpoints so that they render a page once for all visitors who are not signed in, for some seconds. Those who ask
 * while it is rendered wait for it.
 */
export function keptForVisitors(endpoints: readonly Endpoint[], { memory, cookies, settings }: Keeping): Endpoint[] {
  let seen: object | undefined;
  const running = new Map<string, Promise<unknown>>();
  return endpoints.map((endpoint) => ({
    ...endpoint,
    async respond(ctx) {
      if (ctx.url.length > longestAddress || cookies.get(ctx, 'session') !== undefined) {
        await endpoint.respond(ctx);
        return;
      }
      if (seen !== settings()) memory.forget();
      seen = settings();
      const name = `${prefersPage(ctx)} ${ctx.url}`;
      await running.get(name)?.catch(() => undefined);
      const known = memory.find(name);
      if (known) {
        ctx.set(known.headers);
        ctx.type = 'html';
        sendText(ctx, known.text);
        return;
      }
      const begun = memory.changes();
      const made = Promise.resolve(endpoint.respond(ctx)).finally(() => running.delete(name));
      running.set(name, made);
      await made;
      const { sent, encoded } = ctx.state;
      if (sent?.audience !== 'all' || ctx.response.type !== 'text/html') return;
      // Its compressed form is kept too.
      if (encoded) ctx.state.encoded = { ...encoded, audience: 'briefly' };
      memory.keep(name, { text: { ...sent, audience: 'briefly' }, headers: headersOf(ctx) }, begun);
    },
  }));
}

function headersOf({ response }: Context): Record<string, string> {
  return Object.fromEntries(['Content-Security-Policy', 'Vary'].map((name) => [name, response.get(name)]));
}
