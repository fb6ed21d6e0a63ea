import type { ApiKey, KeyMode } from '../../../core/accounts/api-key.ts';
import { parseId, toApiKeyId, toUserId } from '../../../core/id.ts';
import type { AccountStore } from '../../../core/ports/account-store.ts';
import { isRefused } from '../../../core/refusal.ts';
import { type Database, isRowId, returned } from '../database.ts';
import { record } from './audit-log.ts';
import { changeIn, changeRow } from './change-row.ts';
import { findRow } from './find-row.ts';
import { listUsers } from './user-list.ts';
import { insertUser, lockAdministrators, toUser, toUserRow, type UserRow } from './user-rows.ts';

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

/** The columns of a key's owner that have no namesake among the columns of the key. */
const ofOwner = ['u.email', 'u.tier', 'u.role', 'u.suspended_at'];

export function createSqlAccountStore({ read, readStale = read, write }: Database): AccountStore {
  const { findWhere, findById } = findRow(read, 'users', toUser);
  return {
    add: (user, event) =>
      write(async (trx) => {
        const added = await insertUser(trx, user);
        if (!isRefused(added)) await record(trx, [event]);
        return added;
      }),
    findById,
    findByEmail: (email) => findWhere({ email }),
    list: (filter) => readStale((knex) => listUsers(knex, filter)),
    change: changeRow(write, 'users', toUser, toUserRow),
    changeRights: (id, decide) =>
      write(async (trx) => {
        const administrators = await lockAdministrators(trx);
        const users = { name: 'users', fromRow: toUser, toRow: toUserRow };
        return await changeIn(trx, users, id, (before) => decide(before, administrators));
      }),

    addKey: (key, event) =>
      write(async (trx) => {
        const row = returned(await trx<KeyRow>('api_keys').insert(toKeyRow(key)).returning('*'));
        await record(trx, [event]);
        return toKey(row);
      }),
    async findKey(digest) {
      type Found = KeyRow & Omit<UserRow, 'id' | 'name' | 'created_at'> & { user_name: string; user_since: number };
      const row: Found | undefined = await read((knex) =>
        knex('api_keys as k')
          .join('users as u', 'u.id', 'k.user_id')
          .where('k.digest', digest)
          .first('k.*', 'u.name as user_name', 'u.created_at as user_since', ...ofOwner),
      );
      if (row === undefined) return undefined;
      const { user_id: id, user_name: name, user_since: created_at } = row;
      return { key: toKey(row), user: toUser({ ...row, id, name, created_at }) };
    },
    async listKeys(userId) {
      const rows = await readStale((knex) => knex<KeyRow>('api_keys').where({ user_id: userId }).orderBy('id', 'desc'));
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
    replaceKey: (id, decide) =>
      write(async (trx) => {
        const row = isRowId(id) ? await trx<KeyRow>('api_keys').where({ id }).forUpdate().first() : undefined;
        if (row === undefined) return undefined;
        const decision = decide(toKey(row));
        if (isRefused(decision)) return decision;
        const { endsAt, successor, event } = decision;
        const added = returned(await trx<KeyRow>('api_keys').insert(toKeyRow(successor)).returning('*'));
        const changes = { expires_at: endsAt, replaced_by: added.id };
        const old = returned(await trx<KeyRow>('api_keys').where({ id }).update(changes).returning('*'));
        await record(trx, [event]);
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
