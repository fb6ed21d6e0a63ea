import { execFileSync, spawnSync } from 'node:child_process';

const isPermitted = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** Mounts very small disks on a folder, for tests of full disks. */
export const smallDisk = {
  /** The reason if disks cannot be mounted here. */
  skip: isPermitted ? undefined : 'this user may not mount a small disk',
  /** `size` in the notation of `mount`: `64k`, `4m`. */
  mount(folder: string, size: string): Disposable {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'none', folder]);
    return { [Symbol.dispose]: () => void execFileSync('umount', [folder]) };
  },
};
