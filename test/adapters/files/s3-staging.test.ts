import { spawnSync } from 'node:child_process';
import { access, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { openStaging } from '../../../adapters/files/s3/staging.ts';
import { systemClock } from '../../../adapters/node/clock.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const hour = 3_600_000;

describe('the staging folder of a bucket', () => {
  const { TMPDIR } = process.env;
  let temporary: TemporaryFolder;
  beforeEach(async () => {
    temporary = await makeTemporaryFolder();
    process.env.TMPDIR = temporary.path;
  });
  afterEach(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await temporary.remove();
  });

  /** Creates a folder with one file, like one that a process with this number has left. */
  async function left(pid: number, age: number): Promise<string> {
    const path = temporary.file(`latchkey-staging-${pid}-abc123`);
    await mkdir(path);
    await writeFile(join(path, 'upload'), 'x');
    const then = new Date(systemClock.now() - age);
    await utimes(path, then, then);
    return basename(path);
  }
  const deadPid = () => spawnSync('true').pid;

  it('is different for each open storage, private to the user, and deleted on close', async () => {
    const [one, other] = await Promise.all([openStaging(systemClock), openStaging(systemClock)]);
    expect(one.path).to.not.equal(other.path);
    expect(dirname(one.path)).to.equal(temporary.path);
    expect((await stat(one.path)).mode & 0o777).to.equal(0o700);
    await writeFile(join(one.path, 'upload'), 'x');
    await one.close();
    await access(other.path);
    await other.close();
    expect(await readdir(temporary.path)).to.deep.equal([]);
  });

  it('deletes exactly the folders without a sign of life for an hour, even if their process number is in use', async () => {
    const dead = await Promise.all([left(1, 2 * hour), left(process.pid, 2 * hour), left(deadPid(), 2 * hour)]);
    const living = await left(deadPid(), hour / 2);
    const staging = await openStaging(systemClock);
    expect((await readdir(temporary.path)).toSorted()).to.deep.equal([living, basename(staging.path)].toSorted());
    await Promise.all(dead.map((_, number) => left(number + 1, 2 * hour)));
    expect(await staging.sweep()).to.equal(3);
    await staging.close();
  });

  it('is never deleted by its own process, even without a sign of life', async () => {
    const staging = await openStaging(systemClock);
    const then = new Date(systemClock.now() - 2 * hour);
    await utimes(staging.path, then, then);
    expect(await staging.sweep()).to.equal(0);
    await access(staging.path);
    await staging.close();
  });

  it('is created again with the next sign of life if somebody deleted it', async () => {
    const staging = await openStaging(systemClock);
    await rm(staging.path, { recursive: true });
    await staging.sweep();
    expect((await stat(staging.path)).mode & 0o777).to.equal(0o700);
    await staging.close();
    await staging.sweep();
    expect(await readdir(temporary.path)).to.deep.equal([]);
  });

  it('stops deleting other folders when the sweep is aborted', async () => {
    const staging = await openStaging(systemClock);
    const dead = await left(1, 2 * hour);
    expect(await staging.sweep(AbortSignal.abort())).to.equal(0);
    await access(temporary.file(dead));
    await staging.close();
  });

  it('is the given folder if there is one, and is then not deleted on close', async () => {
    const staging = await openStaging(systemClock, temporary.file('given'));
    await staging.close();
    await access(temporary.file('given'));
  });
});
