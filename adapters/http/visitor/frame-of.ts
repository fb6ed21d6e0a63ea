import { type KeyMode, keyModes } from '../../../core/accounts/api-key.ts';
import type { Sessions } from '../../../core/accounts/sessions.ts';
import type { SignedIn } from '../../../core/accounts/signed-in.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import type { Context } from '../state.ts';
import { type Frame, rootOf } from '../ui/frame.ts';
import { isNotice, notices } from '../ui/notices.ts';
import type { Cookies } from './cookies.ts';

/** The dependencies of pages that show who is signed in. */
export interface FrameTools {
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly cookies: Cookies;
  /** The number of unread notifications of a person. */
  unread(me: SignedIn): Promise<number>;
  /** The number of orders that wait for this person. */
  waitingOrders(me: SignedIn): Promise<number>;
  /** The number of own orders of this mode that wait for this person. */
  ordersToDo(me: SignedIn, mode: KeyMode): Promise<number>;
  /** The number of products that wait for the approval of this person. */
  waitingProducts(me: SignedIn): Promise<number>;
  /** Whether this person sells, or could. */
  sells(me: SignedIn): Promise<boolean>;
  /** The name of the site, and how it looks. Reads nothing from the database. */
  readonly site: () => Pick<Frame, 'site' | 'look'>;
}

/** Makes the frame of a page. */
export type FrameOf = (ctx: Context) => Promise<Frame>;

/** Reads the session from the cookie. */
export async function findSession({ sessions, cookies }: FrameTools, ctx: Context): Promise<void> {
  const me = await sessions.authenticate(cookies.get(ctx, 'session'));
  if (me) ctx.state.me = me;
}

/** Makes the frame of a page behind sign-in. Call it after `findSession`. */
export async function frameOf(tools: FrameTools, ctx: Context): Promise<Frame> {
  const { site, cookies, unread, waitingOrders, waitingProducts, ordersToDo, sells } = tools;
  const { me } = ctx.state;
  const selling = keyModes.find((mode) => mode === ctx.params?.mode);
  const notice = cookies.get(ctx, 'notice');
  const [count = 0, orders = 0, products = 0, isSeller = false, toDo = 0] = me
    ? await Promise.all([
        unread(me),
        waitingOrders(me),
        waitingProducts(me),
        sells(me),
        // Only the navigation of the pages for sellers shows it, and only their addresses have a mode.
        selling && ordersToDo(me, selling),
      ])
    : [];
  return {
    ...site(),
    root: rootOf(ctx.path),
    ...(me && {
      person: {
        name: me.login.name,
        isAdmin: me.login.role === 'admin',
        unread: count,
        waitingOrders: orders,
        waitingProducts: products,
        ordersToDo: toDo,
        sells: isSeller,
        sandboxUntil: me.login.sandboxUntil,
        needsSecondFactor: me.login.role === 'admin' && me.login.secondFactor === null,
      },
    }),
    ...(notice !== undefined && isNotice(notice) && { notice: notices[notice] }),
  };
}

/**
 * Makes the frames of public pages. Reads from the database only if there is a session cookie. If the database is not
 * available, visitors see the page as if they were not signed in.
 */
export function publicFrame(tools: FrameTools): FrameOf {
  return async (ctx) => {
    ctx.vary('Cookie');
    const nobody = { ...tools.site(), root: rootOf(ctx.path) };
    if (tools.cookies.get(ctx, 'session') === undefined) return nobody;
    try {
      if (ctx.state.me === undefined) await findSession(tools, ctx);
      const { notice: _, ...frame } = await frameOf(tools, ctx);
      return frame;
    } catch (error) {
      if (error instanceof Unavailable) return nobody;
      throw error;
    }
  };
}
