import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';
import { countCalls } from './redis-script.ts';
import type { RedisHost, RedisPlace } from './redis-url.ts';

export interface ConnectionEvents {
  /** Commands can be sent. It is not yet known whether counting works. */
  ready(): void;
  /** A cluster has lost or gained a node. */
  changed(): void;
  /** The connection cannot be used any more. May be called more than once. */
  failed(error: Error): void;
}

/** One connection to Redis, or to all nodes of a cluster. It never reconnects. */
export interface Connection {
  /** Runs the script that counts. In a cluster, all keys must have the same hash tag. */
  count(keys: readonly string[], args: readonly (string | number)[]): Promise<number[]>;
  /** Returns hash tags for keys: one for each node of the cluster that serves slots. Throws if a slot has no node. */
  tags(): readonly string[];
  /** Returns the known nodes of a cluster. */
  nodes(): readonly RedisHost[];
  /** Resolves when the connection is closed, or after a second. */
  close(): Promise<void>;
}

/** Errors that do not name their cause. An earlier error of a sentinel or a node contains the cause. */
const vague = /^(?:Connection is closed|Failed to refresh slots cache|All sentinels are unreachable)/;

/**
 * `timeout` is for each response while connecting, in milliseconds. `known` lists additional nodes of the cluster to
 * try.
 */
export function connect(
  place: RedisPlace,
  { timeout, known }: { readonly timeout: number; readonly known: readonly RedisHost[] },
  events: ConnectionEvents,
): Connection {
  const client = place.kind === 'cluster' ? openCluster(place, known, timeout) : openServer(place, timeout);
  let cause: Error | undefined;
  const explain = (error: Error) => (vague.test(error.message) ? (cause ?? error) : error);
  const failed = (error: Error) => events.failed(explain(error));
  const closed = () => failed(cause ?? new Error('connection closed'));

  client.on('ready', events.ready).on('error', failed).on('close', closed).on('end', closed);
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  if (client instanceof Cluster) {
    client.on('node error', (error: Error, node: string) => {
      cause = vague.test(error.message) ? new Error(`${node} cannot be reached`) : error;
    });
    client.on('refresh', () => {
      if (client.nodes().length === 0) events.failed(new Error(noAddresses));
    });
    client.on('-node', events.changed).on('+node', events.changed);
  } else {
    client.on('sentinelError', (error: Error) => {
      const isUnknown = error.message.endsWith('invalid reply: null');
      cause = isUnknown ? new Error('the sentinels do not know a master of this name') : error;
    });
  }

  return {
    async count(keys, args) {
      try {
        return await client.countCalls(keys.length, ...keys, ...args);
      } catch (error) {
        throw error instanceof Error ? explain(error) : error;
      }
    },
    tags: () => tagsOf(client instanceof Cluster ? ownersIn(client) : sixteenths),
    nodes() {
      if (!(client instanceof Cluster)) return [];
      return client.nodes().map(({ options }) => ({ host: options.host ?? '', port: options.port ?? 0 }));
    },
    async close() {
      if (client.status === 'end') return;
      client.disconnect();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    },
  };
}

/** A node reports no addresses if it was never connected to another node. */
const noAddresses =
  'the cluster does not report the addresses of its nodes: set cluster-announce-ip or cluster-announce-hostname there';

const scripts = { countCalls: { lua: countCalls } };

const optionsOf = (timeout: number) =>
  ({
    protocol: 2,
    connectionName: 'latchkey',
    disableClientInfo: true,
    enableReadyCheck: false, // The first count is a stronger check.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    socketTimeout: timeout, // Otherwise a login without a response would never end.
    disconnectTimeout: 0,
  }) satisfies RedisOptions;

function openServer(place: Exclude<RedisPlace, { kind: 'cluster' }>, timeout: number): Redis {
  const options = { ...optionsOf(timeout), scripts, enableOfflineQueue: false, retryStrategy: null };
  if (place.kind === 'server') return new Redis(place.url, options);
  const { sentinels, master, database, login, sentinelLogin, isTls } = place;
  return new Redis({
    ...options,
    ...login,
    sentinels: [...sentinels],
    name: master,
    db: database,
    updateSentinels: false,
    sentinelRetryStrategy: () => null,
    sentinelCommandTimeout: timeout,
    ...(sentinelLogin.username && { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password && { sentinelPassword: sentinelLogin.password }),
    ...(isTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

function openCluster(
  { nodes, login, isTls }: Extract<RedisPlace, { kind: 'cluster' }>,
  known: readonly RedisHost[],
  timeout: number,
): Cluster {
  const seeds = [...nodes, ...known].map(({ host, port }) => ({ host, port }));
  return new Cluster(seeds, {
    redisOptions: { ...optionsOf(timeout), ...login, ...(isTls && { tls: {} }) },
    scripts,
    enableReadyCheck: false,
    clusterRetryStrategy: null,
    // No delays: if a call fails, the fallback counts it at once.
    maxRedirections: 4,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: timeout,
    // Names are resolved when connecting, so that an unknown name does not prevent connections to the others.
    dnsLookup: (host, found) => found(null, host),
  });
}

const slots = 16_384;
const sixteenths = (slot: number) => String(slot >> 10);

function ownersIn(cluster: Cluster): (slot: number) => string {
  return (slot) => {
    const [master] = cluster.slots[slot] ?? [];
    if (master === undefined) throw new Error('the cluster has slots that no node serves');
    return master;
  };
}

/** Returns one tag for each owner of slots. */
function tagsOf(ownerOf: (slot: number) => string): string[] {
  const missing = new Set(Array.from({ length: slots }, (_, slot) => ownerOf(slot)));
  const tags: string[] = [];
  for (let number = 0; missing.size > 0 && number < 20 * slots; number++) {
    const tag = `+${number || ''}`;
    if (missing.delete(ownerOf(new Command('get', [tag]).getSlot() ?? 0))) tags.push(tag);
  }
  return tags;
}
