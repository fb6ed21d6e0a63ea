import { repeat } from '../../adapters/repeat.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { describeLeftOut } from './left-out.ts';
import { soon } from './soon.ts';

/** Milliseconds between two searches for interrupted imports. */
const every = 60_000;

/**
 * Finishes or undoes interrupted imports of licenses, now and every minute. It repeats because an import on another
 * machine counts as interrupted only when its lease has ended. Returns a function that stops this.
 */
export async function recoverImports(parts: Parts): Promise<() => Promise<void>> {
  const [log, issuing] = [await parts.get(t.log), await parts.get(t.issuing)];
  let isStopping = false;
  const recover = async () => {
    try {
      const { undone, finished, leftOut } = await issuing.recoverImports(() => !isStopping);
      if (undone > 0) log.warn('undid a license import that was interrupted before all its lines were checked');
      if (finished > 0) log.warn('finished a license import that was interrupted after the check');
      if (leftOut.length > 0)
        log.warn(
          { leftOut: describeLeftOut(leftOut) },
          'some lines of an import were left out; the audit trail lists them',
        );
    } catch (error) {
      if (!isStopping) log.error({ err: error }, 'recovery of imports failed');
    }
  };
  const recovering = repeat(recover, every);
  recovering.now();
  return async () => {
    isStopping = true;
    await soon(recovering.stop());
  };
}
