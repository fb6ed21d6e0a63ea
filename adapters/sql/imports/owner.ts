import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Knex } from 'knex';
import type { Clock, Instant } from '../../../core/ports/clock.ts';
import { codeOf } from '../../system-error.ts';
import { isPostgres } from '../database.ts';

/** Which process works on an import. */
export interface OwnerRow {
  readonly owner: string;
  /** Where its process id means this process. */
  readonly host: string;
  readonly pid: number;
  readonly leased_until: number;
}

/** Milliseconds without a sign of life after which an import on another machine has broken off. */
export const lease = 60_000;

const ours = new Set<string>();

/**
 * Containers may share a hostname, and a process id means another process in each of them. If one of the names cannot be read,
 * nobody else is here, and the lease alone tells.
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

/** Names this process as the owner, under a name that nobody had before. `forgetOwner` takes it back. */
export function newOwner(): Omit<OwnerRow, 'leased_until'> {
  const owner = randomUUID();
  ours.add(owner);
  return { owner, host: here, pid: process.pid };
}

export function forgetOwner({ owner }: Pick<OwnerRow, 'owner'>): void {
  ours.delete(owner);
}

/** The time by which leases are told: that of the server, as the clocks of its clients may differ. SQLite is on one machine. */
export function leaseTime(knex: Knex, clock: Clock, plus = 0): Knex.Raw {
  return isPostgres(knex)
    ? knex.raw('CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) + ?', [plus])
    : knex.raw('?', [clock.now() + plus]);
}

/** Whether the owner may still be at work: on this machine its process tells, on another its lease. */
export function isAtWork({ owner, host, pid, leased_until: until }: OwnerRow, now: Instant): boolean {
  if (ours.has(owner)) return true;
  if (until <= now) return false;
  return host !== here || (pid !== process.pid && isProcess(pid));
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH'; // It may be another user's.
  }
}
