import type { Stopping } from '../../core/ports/file-storage.ts';

/** What a request of the AWS SDK is sent with, so that it ends when the work is stopped. */
export function untilStopped({ signal }: Stopping = {}): { readonly abortSignal?: AbortSignal } {
  if (signal === undefined) return {};
  if (signal instanceof AbortSignal) return { abortSignal: signal };
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  signal.addEventListener('abort', () => controller.abort(signal.reason));
  return { abortSignal: controller.signal };
}
