import { Failure } from '../failures.ts';
import type { Context } from '../state.ts';
import { texts } from '../ui/texts.ts';

/**
 * Refuses a form that a page of another site sends. Browsers name the sender in `Sec-Fetch-Site`, and on plain http only
 * in `Origin`. A client that sends neither header is a program, which has nobody's cookies but its own.
 */
export function expectSameSite(ctx: Context, origin: string): void {
  const site = ctx.get('Sec-Fetch-Site');
  if (site === 'same-origin' || site === 'none') return;
  const from = ctx.get('Origin');
  if (site === '' && (from === '' || from === origin || isOurs(from, ctx.host, origin))) return;
  throw new Failure('forbidden', { detail: texts.failure.otherSite });
}

/** Behind a proxy, the site may have a name that this process does not know. A site on https never trusts plain http. */
function isOurs(from: string, host: string, origin: string): boolean {
  if (!URL.canParse(from)) return false;
  const sender = new URL(from);
  return sender.host === host && (sender.protocol === 'https:' || origin.startsWith('http:'));
}
