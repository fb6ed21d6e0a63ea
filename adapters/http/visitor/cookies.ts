import { browserLife } from '../../../core/accounts/known-browser.ts';
import { linkLives } from '../../../core/accounts/one-time-link.ts';
import { sessionLife } from '../../../core/accounts/session.ts';
import { day, minute } from '../../../core/time.ts';
import type { Context } from '../state.ts';

/** The cookies of the dashboard, with how long browsers keep them, in milliseconds. */
const lives = {
  /** The token of the session. */
  session: sessionLife.absolute,
  /** Tells the browsers of a person apart, even after they have signed out. */
  device: browserLife,
  /** Proves to the second page of a sign-in that the first page got the right password. */
  challenge: linkLives['second-factor'],
  /** The tokens of the last orders that were begun in this browser, with dots between them. */
  order: day,
  /** The message that the next page shows. */
  notice: minute,
} as const;
export type CookieName = keyof typeof lives;

/** Reads and sets the cookies. Scripts cannot read them, and other sites cannot send them with a form. */
export interface Cookies {
  get(ctx: Context, name: CookieName): string | undefined;
  /** `undefined` deletes it. */
  set(ctx: Context, name: CookieName, value: string | undefined): void;
}

/** With `isSecure`, browsers send the cookies by https only, and a neighbouring host cannot set them. */
export function createCookies(isSecure: boolean): Cookies {
  const named = (name: CookieName) => (isSecure ? `__Host-${name}` : name);
  return {
    get: (ctx, name) => ctx.cookies.get(named(name)) || undefined,
    set(ctx, name, value) {
      // A proxy may have ended https, so Koa cannot know it.
      ctx.cookies.secure = isSecure;
      ctx.cookies.set(named(name), value ?? null, {
        httpOnly: true,
        sameSite: 'lax',
        secure: isSecure,
        path: '/',
        ...(value !== undefined && { maxAge: lives[name] }),
        overwrite: true,
      });
    },
  };
}
