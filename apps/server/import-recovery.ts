import { repeat } from '../../adapters/repeat.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { toldLeftOut } from './left-out.ts';
import { soon } from './soon.ts';

/** Milliseconds between two looks for imports that broke off. */
const every = 60_000;

/**
 * Finishes or undoes imports of licenses that broke off, now and every minute: one on another machine counts as broken off only
 * some time after its last sign of life. Returns a function that ends it.
 */
export async function recoverImports(parts: Parts): Promise<() => Promise<void>> {
  const [log, issuing] = [await parts.get(t.log), await parts.get(t.issuing)];
  let isStopping = false;
  const recover = async () => {
    try {
      const { undone, finished, leftOut } = await issuing.recoverImports(() => !isStopping);
      if (undone > 0) log.warn('undid an import of licenses that broke off before all was checked');
      if (finished > 0) log.warn('finished an import of licenses that broke off after it was checked');
      if (leftOut.length > 0)
        log.warn({ leftOut: toldLeftOut(leftOut) }, 'lines of an import were left out; the audit trail names them');
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
