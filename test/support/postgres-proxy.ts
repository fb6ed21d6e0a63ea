import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { makeSchema } from './postgres-backend.ts';

/**
 * The fate of a COMMIT. In each case the proxy cuts off the client. `answer lost`: the server commits, but its answer
 * is lost. `never sent`: the COMMIT never reaches the server. `sent late`: it reaches the server when the test sends
 * it.
 */
export type CommitFate = 'answer lost' | 'never sent' | 'sent late';

/** A proxy between a program and Postgres. */
export interface PostgresProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /**
   * Waits for the next transaction that has a statement with this text, and then for its COMMIT. Resolves when the
   * client is cut off, with a function that sends the late COMMIT and waits for its answer.
   */
  atCommitOf(statement: string, fate: CommitFate): Promise<() => Promise<void>>;
  /** Cuts off the client instead of passing on the next statement with this text. */
  cutAt(statement: string): Promise<void>;
  /** Holds back the next statement with this text. Resolves when it has arrived, with a function that passes it on. */
  hold(statement: string): Promise<() => void>;
  /**
   * Stops passing on data without closing connections, like a host that has disappeared. Returns a function that ends
   * this for new connections. Existing connections stay silent.
   */
  goSilent(): () => void;
  close(): Promise<void>;
}

interface Watch {
  readonly text: string;
  readonly act: 'cut' | 'hold' | CommitFate;
  readonly reached: (go: () => void) => void;
  readonly cut: (deliver: () => Promise<void>) => void;
}

export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const address = new URL(target);
  const watches: Watch[] = [];
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  /** Clients whose data is no longer passed on. Their connections are still open. */
  const silenced = new WeakSet<Socket>();
  let isSilent = false;
  /** Removes and returns the watch for a statement. A watch is for one statement only. */
  const take = (statement: string) => {
    const index = watches.findIndex(({ text }) => statement.includes(text));
    return index < 0 ? undefined : watches.splice(index, 1)[0];
  };

  async function serve(client: Socket): Promise<void> {
    if (isSilent) silenced.add(client);
    clients.add(client.on('close', () => clients.delete(client)));
    const server = connect(Number(address.port || 5432), address.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    let answered: (() => void) | undefined;
    server.on('data', (chunk) => {
      if (silenced.has(client)) return;
      if (answered === undefined) client.write(chunk);
      else answered();
    });
    server.on('close', () => silenced.has(client) || client.destroy());
    const send = async (chunk: Buffer) => {
      const answer = new Promise<void>((resolve) => {
        answered = resolve;
      });
      server.write(chunk);
      await answer;
      server.destroy();
    };
    /** The watch that waits for the COMMIT of this connection's transaction. */
    let watch: Watch | undefined;
    for await (const chunk of client) {
      if (silenced.has(client)) continue;
      const text = String(chunk);
      if (watch !== undefined && text.includes('COMMIT;')) {
        if (watch.act === 'answer lost') await send(chunk);
        if (watch.act !== 'sent late') server.destroy();
        watch.cut(() => send(chunk));
        client.destroy();
        return;
      }
      const found = take(text);
      if (found?.act === 'hold') await new Promise<void>(found.reached);
      else if (found?.act === 'cut') {
        server.destroy();
        client.destroy();
        found.cut(async () => undefined);
        return;
      } else watch = found ?? watch;
      server.write(chunk);
    }
    if (!silenced.has(client)) server.end();
  }

  const listener = createServer((client) => void serve(client).catch(() => client.destroy())).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const nothing = () => undefined;
  return {
    url: url.href,
    atCommitOf: (text, act) => new Promise((cut) => watches.push({ text, act, cut, reached: nothing })),
    cutAt: (text) => new Promise((cut) => watches.push({ text, act: 'cut', cut: () => cut(), reached: nothing })),
    hold: (text) => new Promise((reached) => watches.push({ text, act: 'hold', reached, cut: nothing })),
    goSilent() {
      isSilent = true;
      for (const client of clients) silenced.add(client);
      return () => {
        isSilent = false;
      };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** An empty schema on Postgres, and a proxy in front of it. */
export interface ProxiedPostgres {
  /** The URL of the schema, without the proxy. */
  readonly url: string;
  readonly proxy: PostgresProxy;
}

/** Creates both for each test of the current suite, and removes both afterwards. */
export function usePostgresProxy(): ProxiedPostgres {
  let opened: (ProxiedPostgres & { close(): Promise<void> }) | undefined;
  beforeEach(async () => {
    const schema = await makeSchema();
    const proxy = await startPostgresProxy(schema.url).catch(async (error) => {
      await schema.drop();
      throw error;
    });
    opened = { url: schema.url, proxy, close: () => proxy.close().finally(schema.drop) };
  });
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  const now = () => {
    if (opened === undefined) throw new Error('The proxy is there in tests only.');
    return opened;
  };
  return {
    get url() {
      return now().url;
    },
    get proxy() {
      return now().proxy;
    },
  };
}
