import type { Knex } from 'knex';
import type { ApiKey, KeyMode } from '../../../core/accounts/api-key.ts';
import type { User } from '../../../core/accounts/user.ts';
import { parseId, toApiKeyId, toUserId } from '../../../core/id.ts';
import type { AccountStore, KeyOwner } from '../../../core/ports/account-store.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { isRefused } from '../../../core/refusal.ts';
import { builtOnce } from '../built-once.ts';
import { type Database, isRowId, returned } from '../database.ts';
import { hasOneOf, type Keys, sharedRowRead } from '../shared-reads.ts';
import { record } from './audit-log.ts';
import { changeIn, changeRow } from './change-row.ts';
import { findRow } from './find-row.ts';
import { raiseGeneration } from './login-rows.ts';
import { tell } from './tell.ts';
import { listUsers } from './user-list.ts';
import {
  insertUser,
  isAdministrator,
  keepFindable,
  lockAdministrators,
  toUser,
  toUserRow,
  type UserRow,
} from './user-rows.ts';

interface KeyRow {
  readonly id: number;
  readonly user_id: number;
  readonly name: string;
  readonly mode: string;
  /** A JSON array, or null for all scopes. */
  readonly scopes: string | null;
  readonly digest: string;
  readonly prefix: string;
  readonly last_four: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly replaced_by: number | null;
  readonly last_used_at: number | null;
}

/** The columns of a key's owner. None of them has the name of a column of the key. */
const ofOwner = ['u.email', 'u.tier', 'u.role', 'u.selling', 'u.suspended_at', 'u.sandbox_until'];

const follow = (trx: Knex.Transaction, { id }: User) => keepFindable(trx, id);

const followRights = async (trx: Knex.Transaction, user: User) => {
  await follow(trx, user);
  await raiseGeneration(trx, user.id);
};

type KeyOfUser = KeyRow & Omit<UserRow, 'id' | 'name' | 'created_at'> & { user_name: string; user_since: number };

const keysWithDigests = builtOnce<'', KeyOfUser[], [Keys]>((knex, _, digests) =>
  knex('api_keys as k')
    .join('users as u', 'u.id', 'k.user_id')
    .where(hasOneOf(knex, 'k.digest', digests))
    .select('k.*', 'u.name as user_name', 'u.created_at as user_since', ...ofOwner),
);

const usersWithIds = builtOnce<'', UserRow[], [Keys]>((knex, _, ids) =>
  knex('users').where(hasOneOf(knex, 'id', ids, 'integer')),
);

/** The shape is how many of the ended keys are read. */
const keysOf = builtOnce<number | 'all', KeyRow[], [number, Instant]>((knex, most, userId, by) => {
  const keys = ofUser(knex, userId).orderBy('id', 'desc');
  if (most === 'all') return keys;
  const newest = ofUser(knex, userId).whereNot(working(by)).orderBy('id', 'desc').limit(most);
  return keys.andWhere((either) => either.where(working(by)).orWhereIn('id', newest.select('id')));
});

export function createSqlAccountStore({ read, readStale = read, write }: Database): AccountStore {
  const { findWhere } = findRow(read, 'users', toUser);
  const userWithId = sharedRowRead(
    read,
    (knex, ids) => usersWithIds(knex, '', ids),
    (row: UserRow) => String(row.id),
  );
  const keyWithDigest = sharedRowRead(
    read,
    (knex, digests) => keysWithDigests(knex, '', digests),
    (row: KeyOfUser) => row.digest,
  );
  return {
    add: (user, event) =>
      write(async (trx) => {
        const added = await insertUser(trx, user);
        if (!isRefused(added)) await record(trx, [event]);
        return added;
      }),
    async findById(id) {
      const row = isRowId(id) ? await userWithId(String(id)) : undefined;
      return row && toUser(row);
    },
    findByEmail: (email) => findWhere({ email }),
    list: (filter) => readStale((knex) => listUsers(knex, filter)),
    change: changeRow(write, 'users', toUser, toUserRow, follow),
    changeRights: (id, decide) =>
      write(async (trx) => {
        const administrators = await lockAdministrators(trx);
        const users = { name: 'users', fromRow: toUser, toRow: toUserRow };
        return await changeIn(trx, users, id, (before) => decide(before, administrators), followRights);
      }),

    async administrators() {
      const ids: number[] = await read((knex) =>
        knex<UserRow>('users').where(isAdministrator).orderBy('id').pluck('id'),
      );
      return ids.map(toUserId);
    },

    addKey: (key, event, decide) =>
      write(async (trx) => {
        const decision = decide?.(await lockKeyOwner(trx, key.userId, key.createdAt)) ?? {};
        if (isRefused(decision)) return decision;
        const row = returned(await trx<KeyRow>('api_keys').insert(toKeyRow(key)).returning('*'));
        await record(trx, [event]);
        await tell(trx, decision);
        return toKey(row);
      }),
    async findKey(digest) {
      const row = await keyWithDigest(digest);
      if (row === undefined) return undefined;
      const { user_id: id, user_name: name, user_since: created_at } = row;
      return { key: toKey(row), user: toUser({ ...row, id, name, created_at }) };
    },
    async listKeys(userId, ended) {
      const rows = await readStale((knex) => keysOf(knex, ended?.most ?? 'all', userId, ended?.by ?? 0));
      return rows.map(toKey);
    },
    async findKeys(idOrPrefix) {
      const id = parseId(idOrPrefix, toApiKeyId);
      if (id !== undefined && !isRowId(id)) return [];
      const rows = await read((knex) =>
        id !== undefined
          ? knex<KeyRow>('api_keys').where({ id })
          : knex<KeyRow>('api_keys').whereRaw('substr(prefix, 1, ?) = ?', [idOrPrefix.length, idOrPrefix]),
      );
      return rows.map(toKey);
    },
    changeKey: changeRow(write, 'api_keys', toKey, toKeyRow),
    replaceKey: (id, now, decide) =>
      write(async (trx) => {
        const found = isRowId(id) ? await trx<KeyRow>('api_keys').where({ id }).first('user_id') : undefined;
        if (found === undefined) return undefined;
        const owner = await lockKeyOwner(trx, found.user_id, now);
        const row = returned(await trx<KeyRow>('api_keys').where({ id }).forUpdate());
        const decision = decide(toKey(row), owner);
        if (isRefused(decision)) return decision;
        const { endsAt, successor, event } = decision;
        const added = returned(await trx<KeyRow>('api_keys').insert(toKeyRow(successor)).returning('*'));
        const changes = { expires_at: endsAt, replaced_by: added.id };
        const old = returned(await trx<KeyRow>('api_keys').where({ id }).update(changes).returning('*'));
        await record(trx, [event]);
        await tell(trx, decision);
        return { old: toKey(old), key: toKey(added) };
      }),
    touchKey: (id, at) =>
      write(async (trx) => {
        await trx<KeyRow>('api_keys')
          .where({ id })
          .andWhere((either) => either.whereNull('last_used_at').orWhere('last_used_at', '<', at))
          .update({ last_used_at: at });
      }),
  };
}

function ofUser(knex: Knex, userId: number) {
  return knex<KeyRow>('api_keys').where({ user_id: userId });
}

/** The condition that a key is neither revoked nor expired. */
function working(now: Instant) {
  return (query: Knex.QueryBuilder) =>
    query.whereNull('revoked_at').where((either) => either.whereNull('expires_at').orWhere('expires_at', '>', now));
}

/** Locks the row of the user before those of the keys, so that two transactions never wait for each other. */
async function lockKeyOwner(trx: Knex.Transaction, userId: number, now: Instant): Promise<KeyOwner> {
  const user = returned(await trx<UserRow>('users').where({ id: userId }).forUpdate());
  const [counted] = await ofUser(trx, userId).where(working(now)).count({ keys: '*' });
  return { user: toUser(user), workingKeys: Number(counted?.keys) };
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: toApiKeyId(row.id),
    userId: toUserId(row.user_id),
    name: row.name,
    mode: row.mode as KeyMode,
    scopes: row.scopes === null ? null : JSON.parse(row.scopes),
    digest: row.digest,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    replacedBy: row.replaced_by === null ? null : toApiKeyId(row.replaced_by),
    lastUsedAt: row.last_used_at,
  };
}

function toKeyRow(key: Omit<ApiKey, 'id'>): Omit<KeyRow, 'id'> {
  return {
    user_id: key.userId,
    name: key.name,
    mode: key.mode,
    scopes: key.scopes && JSON.stringify(key.scopes),
    digest: key.digest,
    prefix: key.prefix,
    last_four: key.lastFour,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    replaced_by: key.replacedBy,
    last_used_at: key.lastUsedAt,
  };
}
