import type { DeviceAnswer, DeviceLogin } from '../../../core/accounts/device-login.ts';
import { toUserId } from '../../../core/id.ts';
import type { DeviceLoginStore } from '../../../core/ports/device-login-store.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';

interface DeviceLoginRow {
  readonly digest: string;
  readonly user_digest: string;
  readonly client_name: string;
  readonly address: string;
  readonly mode: string;
  /** A JSON array, or null for all scopes. */
  readonly scopes: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly interval: number;
  readonly polled_at: number | null;
  readonly answer: string;
  readonly user_id: number | null;
  readonly generation: number | null;
  readonly key_name: string | null;
}

export function createSqlDeviceLoginStore({ write }: Database): DeviceLoginStore {
  return {
    add: (login, now) =>
      write(async (trx) => {
        await trx<DeviceLoginRow>('device_logins').where('expires_at', '<', now).delete();
        const added = await trx<DeviceLoginRow>('device_logins')
          .insert(toRow(login))
          .onConflict('user_digest')
          .ignore()
          .returning('digest');
        return added.length > 0;
      }),

    change: (code, decide) =>
      write(async (trx) => {
        const where = 'digest' in code ? { digest: code.digest } : { user_digest: code.userDigest };
        const row = await trx<DeviceLoginRow>('device_logins').where(where).forUpdate().first();
        if (row === undefined) return undefined;
        const { after, event, result } = decide(fromRow(row));
        const one = trx<DeviceLoginRow>('device_logins').where({ digest: row.digest });
        if (after === 'removed') await one.delete();
        else if (after !== 'same') await one.update(toRow(after));
        if (event) await record(trx, [event]);
        return result;
      }),
  };
}

function fromRow(row: DeviceLoginRow): DeviceLogin {
  return {
    digest: row.digest,
    userDigest: row.user_digest,
    clientName: row.client_name,
    address: row.address,
    mode: row.mode as DeviceLogin['mode'],
    scopes: row.scopes === null ? null : JSON.parse(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    interval: row.interval,
    polledAt: row.polled_at,
    answer: answerIn(row),
  };
}

function answerIn({ answer, user_id, generation, key_name }: DeviceLoginRow): DeviceAnswer {
  const kind = answer as DeviceAnswer['kind'];
  if (kind !== 'approved') return { kind };
  return { kind, userId: toUserId(user_id ?? 0), generation: generation ?? 0, keyName: key_name ?? '' };
}

function toRow({ answer, ...login }: DeviceLogin): DeviceLoginRow {
  const approved = answer.kind === 'approved' ? answer : undefined;
  return {
    digest: login.digest,
    user_digest: login.userDigest,
    client_name: login.clientName,
    address: login.address,
    mode: login.mode,
    scopes: login.scopes && JSON.stringify(login.scopes),
    created_at: login.createdAt,
    expires_at: login.expiresAt,
    interval: login.interval,
    polled_at: login.polledAt,
    answer: answer.kind,
    user_id: approved?.userId ?? null,
    generation: approved?.generation ?? null,
    key_name: approved?.keyName ?? null,
  };
}
