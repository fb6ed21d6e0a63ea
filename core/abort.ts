/** Says when nobody needs the result of some work any more. Every `AbortSignal` is one. */
export interface Abort {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
