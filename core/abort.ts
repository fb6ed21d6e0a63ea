/** Signals that the result of some work is not needed any more. Every `AbortSignal` fits this interface. */
export interface Abort {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
