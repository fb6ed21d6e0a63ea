import type { Command } from 'commander';
import { byOf } from '../../core/accounts/role.ts';
import { iso } from '../../core/iso.ts';
import { neededUntil } from '../../core/licensing/lease-keys.ts';
import type { PublishedKey } from '../../core/ports/lease-key-store.ts';
import { t } from '../wiring/tokens.ts';
import {
  type Answer,
  type AnswerOptions,
  administer,
  answering,
  type ChangeOptions,
  changing,
  operator,
} from './action.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Adds the commands about the keys that sign leases. */
export function addLeaseKeyCommands(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('Lease keys, which sign leases');

  answering(keys.command('print', { isDefault: true }))
    .description('Print the public key to build into your program, and the old ones')
    .allowExcessArguments()
    .action((options: AnswerOptions, { args: [unknown] }: Command) => {
      // The default command gets what is no command.
      if (unknown !== undefined)
        keys.error(`error: unknown command '${unknown}'`, { code: 'commander.unknownCommand' });
      return administer(terminal, options, async (parts) => {
        const { currentKey, published } = await parts.get(t.leaseKeys);
        const known = await published();
        if (known.length > 0) return answerWith(known);
        await currentKey(); // Made, because this service was never started.
        return answerWith(await published());
      });
    });

  changing(keys.command('rotate'))
    .description('Replace the key that signs. Programs with only the old public key refuse what is signed from now on')
    .action((options: ChangeOptions) =>
      administer(terminal, options, async (parts) => {
        const { rotate } = await parts.get(t.leaseKeys);
        return answerWith(await rotate(byOf(operator(options))));
      }),
    );
}

function answerWith(keys: readonly PublishedKey[]): Answer {
  const shown = keys.map((key) => ({
    publicKey: key.publicKey,
    kid: key.kid,
    createdAt: key.createdAt,
    retiredAt: key.retiredAt,
    neededUntil: neededUntil(key),
  }));
  const rows = shown.map(({ publicKey, kid, createdAt, neededUntil: until }) => [
    publicKey,
    kid,
    iso(createdAt),
    until === null ? 'signs' : `old, published until ${iso(until)}`,
  ]);
  return { json: { keys: shown }, text: table([['PUBLIC KEY', 'KID', 'MADE', 'STATE'], ...rows]) };
}
