import { expect } from 'chai';
import fc from 'fast-check';
import { toUserId, type UserId } from '../../../core/id.ts';
import type { SandboxStore } from '../../../core/ports/sandbox-store.ts';
import { deleteSandboxes } from '../../../core/sandbox/delete-sandboxes.ts';
import { sandboxGrace } from '../../../core/sandbox/sandbox.ts';
import { errorOf } from '../../support/error-of.ts';
import { runs } from '../../support/runs.ts';

/** Accounts that close at a time, with files. `isBroken`: its rows cannot be deleted. */
interface Account {
  readonly end: number;
  readonly files: number;
  readonly isBroken?: boolean;
}

/** A store of these accounts, with what was done to it. */
function doubleOf(given: readonly Account[], now: number) {
  const accounts = new Map(
    given.map((one, n) => [toUserId(n + 1), { ...one, closedAt: undefined as number | undefined }]),
  );
  const stored = new Map<string, UserId>(
    given.flatMap(({ files }, n) =>
      Array.from({ length: files }, (_, f) => [String([n + 1, f]), toUserId(n + 1)] as const),
    ),
  );
  const counted = new Map(stored);
  const store: Omit<SandboxStore, 'add' | 'count'> = {
    async close(at, which) {
      const open = [...accounts.values()].filter(
        (one) => one.closedAt === undefined && (which === 'all' || one.end <= at),
      );
      for (const one of open) one.closedAt = at;
      return open.length;
    },
    closedBy: async (time) =>
      [...accounts].flatMap(([id, { closedAt = Number.POSITIVE_INFINITY }]) => (closedAt <= time ? [id] : [])),
    filesOf: async (id, most) => [...counted].flatMap(([key, owner]) => (owner === id ? [key] : [])).slice(0, most),
    async remove(id, goOn) {
      if (!goOn()) return false;
      if (accounts.get(id)?.isBroken) throw new Error(`Account ${id} cannot be deleted.`);
      return accounts.delete(id);
    },
  };
  const clock = { now: () => now };
  const files = { delete: async (key: string) => void stored.delete(key) };
  const ledger = { remove: async (keys: readonly string[]) => keys.forEach((key) => void counted.delete(key)) };
  const forgotten: string[] = [];
  const references = { forget: async (keys: readonly string[]) => void forgotten.push(...keys) };
  const move = (by: number) => {
    now += by;
  };
  return {
    ports: { store: store as SandboxStore, files, ledger, references, clock },
    accounts,
    stored,
    forgotten,
    move,
  };
}

const never = new AbortController().signal;

describe('deletion of sandbox accounts', () => {
  it('closes what has ended, and deletes it with its files some time later, never earlier', async () => {
    const accounts = fc.array(
      fc.record({ end: fc.integer({ min: 0, max: 9 }), files: fc.integer({ min: 0, max: 250 }) }),
      { maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(accounts, fc.integer({ min: 0, max: 9 }), async (given, now) => {
        const double = doubleOf(given, now);
        const ended = given.filter(({ end }) => end <= now).length;
        expect(await deleteSandboxes(double.ports, 'ended', never)).to.deep.equal({ closed: ended, deleted: 0 });
        double.move(sandboxGrace - 1);
        const later = given.filter(({ end }) => end > now && end <= now + sandboxGrace - 1).length;
        expect(await deleteSandboxes(double.ports, 'ended', never)).to.deep.equal({ closed: later, deleted: 0 });
        double.move(1);
        expect(await deleteSandboxes(double.ports, 'ended', never)).to.deep.equal({ closed: 0, deleted: ended });
        expect(double.accounts.size).to.equal(given.length - ended);
        const owners = new Set([...double.stored.values()]);
        for (const owner of owners) expect(double.accounts.has(owner)).to.equal(true);
        expect(double.stored.size + double.forgotten.length).to.equal(given.reduce((sum, { files }) => sum + files, 0));
      }),
      { numRuns: runs(250) },
    );
  });

  it('closes all of them if asked to', async () => {
    const double = doubleOf(
      [
        { end: 5, files: 1 },
        { end: 99, files: 0 },
      ],
      1,
    );
    expect(await deleteSandboxes(double.ports, 'all', never)).to.deep.equal({ closed: 2, deleted: 0 });
    double.move(sandboxGrace);
    expect(await deleteSandboxes(double.ports, 'all', never)).to.deep.equal({ closed: 0, deleted: 2 });
  });

  it('deletes the others if one cannot be deleted, and then throws', async () => {
    const double = doubleOf(
      [
        { end: 0, files: 0, isBroken: true },
        { end: 0, files: 2 },
      ],
      0,
    );
    await deleteSandboxes(double.ports, 'ended', never);
    double.move(sandboxGrace);
    expect(String(await errorOf(deleteSandboxes(double.ports, 'ended', never)))).to.include('Account 1 cannot');
    expect([...double.accounts.keys()]).to.deep.equal([1]);
    expect(double.stored.size).to.equal(0);
  });

  it('deletes nothing after it was stopped, and the rest in the next run', async () => {
    const double = doubleOf([{ end: 0, files: 3 }], 0);
    await deleteSandboxes(double.ports, 'ended', never);
    double.move(sandboxGrace);
    expect(await deleteSandboxes(double.ports, 'ended', AbortSignal.abort())).to.deep.equal({ closed: 0, deleted: 0 });
    expect([double.accounts.size, double.stored.size]).to.deep.equal([1, 3]);
    expect((await deleteSandboxes(double.ports, 'ended', never)).deleted).to.equal(1);
  });
});
