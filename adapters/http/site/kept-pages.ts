import type { PageMemory } from '../page-memory.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { prefersPage, sendText } from '../ui/send-page.ts';
import type { Cookies } from '../visitor/cookies.ts';

/** Longer addresses are not kept. Few links are so long. */
const longestAddress = 1_000;

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
