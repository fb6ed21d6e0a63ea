import type { Abort } from '../../core/abort.ts';

/** Returns options for a request of the AWS SDK, so that it is aborted when the work is stopped. */
export function untilStopped(stop?: Abort): { readonly abortSignal?: AbortSignal } {
  if (stop === undefined) return {};
  if (stop instanceof AbortSignal) return { abortSignal: stop };
  const controller = new AbortController();
  if (stop.aborted) controller.abort(stop.reason);
  stop.addEventListener('abort', () => controller.abort(stop.reason));
  return { abortSignal: controller.signal };
}
