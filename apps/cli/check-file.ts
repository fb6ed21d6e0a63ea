import { createFileInspection } from '../../adapters/files/inspection/inspection.ts';
import type { FileKind } from '../../core/marketplace/checked-file.ts';
import { Stop } from './stop.ts';

/** Checks a file by the rules of the server, so that nobody uploads for minutes what is then refused. */
export async function checkFile(path: string, kinds: readonly FileKind[]): Promise<void> {
  const { signal } = new AbortController();
  const found = await createFileInspection().inspect(path, signal);
  if (found.kind === 'unusable') throw new Stop('failed', `${path} cannot be sent. ${found.why}`);
  if (kinds.includes(found.kind)) return;
  throw new Stop('failed', `${path} is a ${found.kind} file, but must be ${kinds.join(' or ')}.`);
}
