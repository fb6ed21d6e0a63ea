import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { makeRedisProcess, makeSentinelProcess, type RedisProcess } from './redis-process.ts';

export interface Sentinels {
  /** A `redis+sentinel://` URL with all passwords and two sentinels. The first one does not exist. */
  readonly url: string;
  readonly master: RedisProcess;
  stop(): Promise<void>;
}

export const masterPassword = 'master-secret';
export const sentinelPassword = 'sentinel-secret';

/**
 * Starts a master, replicas, and one sentinel. The sentinel promotes a replica if the master is silent for half a
 * second.
 */
export async function startSentinels({ replicas }: { readonly replicas: number }): Promise<Sentinels> {
  const login = ['--requirepass', masterPassword, '--masterauth', masterPassword, '--repl-diskless-sync-delay', '0'];
  const master = await makeRedisProcess(...login);
  const started = [master];
  const stop = async () => void (await Promise.all(started.map((one) => one.remove())));
  try {
    await master.start();
    for (let count = 0; count < replicas; count++) {
      const replica = await makeRedisProcess(...login, '--replicaof', '127.0.0.1', String(master.port));
      started.push(replica);
      await replica.start();
      await untilLinked(replica);
    }
    const sentinel = await makeSentinelProcess(
      `requirepass ${sentinelPassword}`,
      `sentinel monitor limits 127.0.0.1 ${master.port} 1`,
      `sentinel auth-pass limits ${masterPassword}`,
      'sentinel down-after-milliseconds limits 500',
      'sentinel failover-timeout limits 5000',
    );
    started.push(sentinel);
    await sentinel.start();
    const hosts = `127.0.0.1:${await freePort()},127.0.0.1:${sentinel.port}`;
    const url = `redis+sentinel://:${masterPassword}@${hosts}/limits?sentinel_password=${sentinelPassword}`;
    return { url, master, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilLinked(replica: RedisProcess): Promise<void> {
  const admin = new Redis(replica.url, { password: masterPassword, retryStrategy: null });
  try {
    while (!(await admin.info('replication')).includes('master_link_status:up')) await setTimeout(20);
  } finally {
    admin.disconnect();
  }
}
