import { execFileSync, spawnSync } from 'node:child_process';

const isPermitted = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** Disks of a few bytes, mounted on a folder, to be filled. */
export const smallDisk = {
  /** Why there is none, as an addition to the title of a test. */
  skip: isPermitted ? undefined : ' (skipped: this user may not mount a small disk)',
  /** `size` as `mount` takes it: `64k`, `4m`. */
  mount(folder: string, size: string): Disposable {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'none', folder]);
    return { [Symbol.dispose]: () => void execFileSync('umount', [folder]) };
  },
};
