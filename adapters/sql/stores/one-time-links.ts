import type { Knex } from 'knex';
import type { Login } from '../../../core/accounts/login.ts';
import type { OneTimeLink } from '../../../core/accounts/one-time-link.ts';
import { toUserId } from '../../../core/id.ts';
import type { LinkEffect, OneTimeLinks } from '../../../core/ports/one-time-links.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';
import { insertLogin, lockLogin, saveCredentials } from './login-rows.ts';
import { tell } from './tell.ts';
import { emailTaken, hasAdministrator, keepFindable } from './user-rows.ts';

interface LinkRow {
  readonly digest: string;
  readonly kind: string;
  /** JSON. */
  readonly purpose: string;
  readonly user_id: number | null;
  readonly generation: number | null;
  readonly expires_at: number;
}

export function createSqlOneTimeLinks({ read, write }: Database): OneTimeLinks {
  return {
    add: (link, now, { event, ...news } = {}) =>
      write(async (trx) => {
        await trx<LinkRow>('one_time_links').where('expires_at', '<', now).delete();
        await trx<LinkRow>('one_time_links').insert(toRow(link));
        if (event) await record(trx, [event]);
        await tell(trx, news);
      }),

    async find(digest) {
      const row = await read((knex) => knex<LinkRow>('one_time_links').where({ digest }).first());
      return row && toLink(row);
    },

    use: (digest, decide) =>
      write(async (trx) => {
        const link = await lockLink(trx, digest);
        if (link === undefined) return undefined;
        const login = link.of ? await lockLogin(trx, link.of.userId) : undefined;
        const isSetUp = link.purpose.kind === 'set-up';
        const effect = decide({ link, login, hasAdministrator: isSetUp && (await hasAdministrator(trx)) });
        if (isRefused(effect)) return effect;
        const saved = await save(trx, effect);
        if (isRefused(saved)) return saved;
        await trx<LinkRow>('one_time_links')
          .where(isSetUp ? { kind: 'set-up' } : { digest })
          .delete();
        await record(trx, [effect.event]);
        await tell(trx, effect);
        return saved;
      }),
  };
}

/**
 * Locks the link, and for a set-up link also all other set-up links. A second transaction then finds that the first has
 * deleted them. Locks in the same order always, so that two transactions never wait for each other.
 */
async function lockLink(trx: Knex.Transaction, digest: string): Promise<OneTimeLink | undefined> {
  const rows = await trx<LinkRow>('one_time_links')
    .where({ digest })
    .orWhere((both) =>
      both
        .where({ kind: 'set-up' })
        .whereExists(trx('one_time_links').where({ digest, kind: 'set-up' }).select('digest')),
    )
    .orderBy('digest')
    .forUpdate();
  const row = rows.find((one) => one.digest === digest);
  return row && toLink(row);
}

async function save(trx: Knex.Transaction, effect: LinkEffect): Promise<Login | Refused<'email_taken'>> {
  if ('add' in effect) {
    return await insertLogin(trx, effect.add);
  }
  const { change } = effect;
  const { id, email, role } = change;
  const other = await trx('users').where({ email }).whereNot({ id }).first('id');
  if (other !== undefined) return emailTaken(email);
  await trx('users').where({ id }).update({ email, role });
  await keepFindable(trx, id);
  await saveCredentials(trx, change);
  return change;
}

function toLink({ digest, purpose, user_id, generation, expires_at }: LinkRow): OneTimeLink {
  const of = user_id === null || generation === null ? null : { userId: toUserId(user_id), generation };
  return { digest, purpose: JSON.parse(purpose), of, expiresAt: expires_at };
}

function toRow({ digest, purpose, of, expiresAt }: OneTimeLink): LinkRow {
  return {
    digest,
    kind: purpose.kind,
    purpose: JSON.stringify(purpose),
    user_id: of?.userId ?? null,
    generation: of?.generation ?? null,
    expires_at: expiresAt,
  };
}
