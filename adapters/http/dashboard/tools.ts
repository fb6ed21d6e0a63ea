import type { Sessions } from '../../../core/accounts/sessions.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { ClientAddress } from '../client-address.ts';
import type { Context } from '../state.ts';
import type { FormReader } from '../upload.ts';
import { type FrameTools, frameOf } from '../visitor/frame-of.ts';
import type { Visit } from './visit.ts';

/** The dependencies of all pages of the dashboard. */
export interface DashboardTools extends FrameTools {
  readonly sessions: Pick<Sessions, 'authenticate' | 'confirm'>;
  readonly clock: Clock;
  readonly clientAddress: ClientAddress;
  readonly readForm: FormReader;
  /** The origin of the site's public address. */
  readonly origin: string;
  /** The origin of the pictures of products, if it is not this server. */
  readonly images: string | undefined;
}

export async function visitOf(tools: DashboardTools, ctx: Context): Promise<Visit> {
  return {
    ctx,
    me: ctx.state.me,
    images: tools.images,
    params: ctx.params ?? {},
    query: Object.fromEntries(Object.entries(ctx.query).map(([name, value]) => [name, [value].flat()[0] ?? ''])),
    frame: await frameOf(tools, ctx),
    from: {
      address: tools.clientAddress(ctx.req),
      browser: ctx.get('User-Agent'),
      device: tools.cookies.get(ctx, 'device'),
    },
  };
}
