import { deleteSandboxes } from '../../core/sandbox/delete-sandboxes.ts';
import { minute } from '../../core/time.ts';
import { servesFiles } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import type { Job } from './job.ts';

/** Deletes the accounts of a sandbox. Where there is none any more, all that it has left. */
export const sandboxDeletion: Job = {
  name: 'delete accounts of the sandbox',
  every: minute,
  when: servesFiles,
  async work({ parts, config, clock, stop }) {
    const [store, files, ledger, references] = [
      await parts.get(t.sandboxStore),
      await parts.get(t.files),
      await parts.get(t.fileLedger),
      await parts.get(t.fileReferences),
    ];
    return await deleteSandboxes({ store, files, ledger, references, clock }, config.SANDBOX ? 'ended' : 'all', stop);
  },
  done: 'accounts of the sandbox closed and deleted',
  failed: 'accounts of the sandbox cannot be deleted',
};
