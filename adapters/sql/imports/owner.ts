import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Knex } from 'knex';
import type { Clock, Instant } from '../../../core/ports/clock.ts';
import { minute } from '../../../core/time.ts';
import { codeOf } from '../../system-error.ts';
import { isPostgres } from '../database.ts';

/** The process that works on an import. */
export interface OwnerRow {
  readonly owner: string;
  /** Where `pid` is valid: names the machine, its boot, and the namespace of process ids. */
  readonly host: string;
  readonly pid: number;
  readonly leased_until: number;
}

/** An import on another machine counts as interrupted if its lease is not renewed for this time, in milliseconds. */
export const lease = minute;

const ours = new Set<string>();

/**
 * Containers may share a hostname, but each has its own process ids. If one of the names cannot be read, a random one
 * takes its place. Then no other process seems to be on the same host, and only the lease decides.
 */
const here = [
  hostname(),
  ...(process.platform === 'linux'
    ? [
        named(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
        named(() => readlinkSync('/proc/self/ns/pid')),
      ]
    : []),
].join(' ');

function named(read: () => string): string {
  try {
    return read();
  } catch {
    return randomUUID();
  }
}

/** Returns a new, unique owner for this process. `forgetOwner` releases it. */
export function newOwner(): Omit<OwnerRow, 'leased_until'> {
  const owner = randomUUID();
  ours.add(owner);
  return { owner, host: here, pid: process.pid };
}

export function forgetOwner({ owner }: Pick<OwnerRow, 'owner'>): void {
  ours.delete(owner);
}

/**
 * The time for leases. Postgres uses the server's clock, because the clocks of clients may differ. SQLite is on one
 * machine.
 */
export function leaseTime(knex: Knex, clock: Clock, plus = 0): Knex.Raw {
  return isPostgres(knex)
    ? knex.raw('CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) + ?', [plus])
    : knex.raw('?', [clock.now() + plus]);
}

/** Whether the owner may still be working. Checks its lease, and on this machine also its process. */
export function isAtWork({ owner, host, pid, leased_until: until }: OwnerRow, now: Instant): boolean {
  if (ours.has(owner)) return true;
  if (until <= now) return false;
  return host !== here || (pid !== process.pid && isProcess(pid));
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH'; // EPERM: the process belongs to another user.
  }
}
