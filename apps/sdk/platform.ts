// The features of the platform that the SDK uses. Browsers, Node, Bun and edge functions have them, unless a comment
// says otherwise. The SDK is compiled without the types of any platform, so that it cannot use anything else.

export interface HttpAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  // biome-ignore lint/suspicious/noExplicitAny: each platform has its own type for it
  readonly signal?: any;
}

/** The part of `fetch` that the SDK calls. */
export type Fetch = (url: string, request?: HttpRequest) => Promise<HttpAnswer>;

/** Where answers are kept. Both functions may return promises. If one fails, the guard goes on with its memory. */
export interface GuardStorage {
  /** Returns the text that was set last, if it is still there. */
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  set(key: string, text: string): unknown;
}

/** The part of WebCrypto that checks leases. Not every platform knows Ed25519. */
export interface Subtle {
  digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>;
  importKey(form: 'raw', key: Uint8Array, algorithm: object, extractable: false, uses: string[]): Promise<object>;
  verify(algorithm: 'Ed25519', key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
}

interface Locks {
  request<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

interface StorageEvents {
  addEventListener(type: 'storage', listen: (event: { readonly key: string | null }) => void): void;
  removeEventListener(type: 'storage', listen: (event: { readonly key: string | null }) => void): void;
}

declare const clearTimeout: (timer: unknown) => void;
declare const console: { error(...values: unknown[]): void };
declare const crypto: { readonly subtle: Subtle | undefined } | undefined;
declare const fetch: Fetch;
declare const performance: { now(): number };
declare const setTimeout: (act: () => void, milliseconds: number) => unknown;
// Only in pages.
declare const document: object | undefined;
declare const localStorage: { getItem(key: string): string | null; setItem(key: string, text: string): void };
declare const location: { readonly host: string } | undefined;
declare const navigator: { readonly locks?: Locks } | undefined;
declare const window: StorageEvents;

/** The dependencies of the guard, besides its options. Tests provide their own clock. */
export interface Platform {
  readonly fetch: Fetch;
  /** The time of day, in milliseconds. Users can set it. */
  now(): number;
  /** Milliseconds that nobody can set back. They start anywhere. */
  ticks(): number;
  /** A number from 0 to less than 1. */
  random(): number;
  /** Calls `act` later. Returns a function that prevents it. */
  later(milliseconds: number, act: () => void): () => void;
  /** The host of the page, with its port. `undefined` outside of pages. */
  readonly host: string | undefined;
  /** The storage that all tabs of a site share. `undefined` outside of pages, and where the browser blocks it. */
  readonly shared: GuardStorage | undefined;
  /** WebCrypto. In browsers, only on secure pages. */
  readonly subtle: Subtle | undefined;
  /** Locks between the tabs of a site. Only on secure pages. */
  readonly locks: Locks | undefined;
  /** Calls `act` when another tab writes the key. Returns a function that ends this. */
  watch(key: string, act: () => unknown): () => void;
  complain(fault: unknown): void;
}

export function thisPlatform(): Platform {
  const shared = sharedStorage();
  return {
    fetch: (url, request) => fetch(url, request),
    now: () => Date.now(),
    ticks: () => performance.now(),
    random: Math.random,
    later(milliseconds, act) {
      const timer = setTimeout(act, milliseconds);
      return () => clearTimeout(timer);
    },
    host: typeof location === 'undefined' ? undefined : location.host,
    shared,
    subtle: typeof crypto === 'undefined' ? undefined : crypto.subtle,
    locks: shared && typeof navigator !== 'undefined' ? navigator.locks : undefined,
    watch(key, act) {
      if (shared === undefined) return () => undefined;
      const listen = (event: { readonly key: string | null }) => event.key === key && act();
      window.addEventListener('storage', listen);
      return () => window.removeEventListener('storage', listen);
    },
    complain: console.error,
  };
}

/** Browsers throw if the user blocks storage. Some versions of Node have a `localStorage` that prints warnings. */
function sharedStorage(): GuardStorage | undefined {
  try {
    const storage = typeof document === 'undefined' ? undefined : localStorage;
    return storage && { get: (key) => storage.getItem(key), set: (key, text) => storage.setItem(key, text) };
  } catch {
    return undefined;
  }
}
