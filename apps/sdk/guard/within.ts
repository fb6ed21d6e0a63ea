import type { Platform } from '../platform.ts';

/** Resolves with what `work` returns. After `limit` milliseconds, calls `late`, and resolves with what that returns. */
export async function within<Result>(
  platform: Pick<Platform, 'later'>,
  limit: number,
  work: Promise<Result>,
  late: () => Result | Promise<Result>,
): Promise<Result> {
  let cancel = () => {};
  const end = new Promise<Result>((resolve) => {
    cancel = platform.later(limit, () => resolve(late()));
  });
  const first = await Promise.race([end, work]);
  cancel();
  return first;
}
