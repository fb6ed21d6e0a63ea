import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { makeRedisProcess, type RedisProcess } from './redis-process.ts';

export interface RedisCluster {
  /** A `redis+cluster://` URL with the password and all nodes. */
  readonly url: string;
  /** Masters, each with a third of the slots and no replica. */
  readonly nodes: readonly RedisProcess[];
  /** Resolves when every node reports that all slots are served. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

export const clusterPassword = 'cluster-secret';
const thirds = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const;

/** Starts a cluster of three nodes. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const buses = await Promise.all(thirds.map(() => freePort()));
  const nodes = await Promise.all(
    buses.map((bus) =>
      makeRedisProcess(
        ...['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-node-timeout', '1000'],
        ...['--requirepass', clusterPassword],
      ),
    ),
  );
  const stop = async () => void (await Promise.all(nodes.map((node) => node.remove())));
  const ask = async <T>(node: RedisProcess, question: (admin: Redis) => Promise<T>): Promise<T> => {
    const admin = new Redis(node.url, { password: clusterPassword, retryStrategy: null });
    try {
      return await question(admin);
    } finally {
      admin.disconnect();
    }
  };
  const whole = async () => {
    const isWhole = (node: RedisProcess) =>
      ask(node, async (admin) => {
        const info = String(await admin.cluster('INFO'));
        return info.includes('cluster_state:ok') && info.includes('cluster_slots_ok:16384');
      });
    for (const node of nodes) while (!(await isWhole(node))) await setTimeout(20);
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    for (const [index, node] of nodes.entries()) {
      await ask(node, async (admin) => {
        await admin.call('cluster', 'set-config-epoch', String(index + 1));
        await admin.call('cluster', 'addslotsrange', ...(thirds[index] ?? []));
        if (index > 0) await admin.call('cluster', 'meet', '127.0.0.1', String(nodes[0]?.port), String(buses[0]));
      });
    }
    await whole();
  } catch (error) {
    await stop();
    throw error;
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { url: `redis+cluster://:${clusterPassword}@${hosts}`, nodes, whole, stop };
}
