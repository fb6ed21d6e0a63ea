import type { Stopping } from '../../core/ports/file-storage.ts';

/** Returns options for a request of the AWS SDK, so that it is aborted when the work is stopped. */
export function untilStopped({ signal }: Stopping = {}): { readonly abortSignal?: AbortSignal } {
  if (signal === undefined) return {};
  if (signal instanceof AbortSignal) return { abortSignal: signal };
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  signal.addEventListener('abort', () => controller.abort(signal.reason));
  return { abortSignal: controller.signal };
}
