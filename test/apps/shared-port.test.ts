import type { Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { openSharedPort } from '../../apps/server/shared-port.ts';
import { fromWorker } from '../../apps/server/worker-messages.ts';
import { until } from '../support/eventually.ts';

/** A worker in this process, that takes connections when it is told to. */
class TestWorker extends EventEmitter {
  readonly got: Socket[] = [];
  isConnected(): boolean {
    return true;
  }
  send(_message: string, socket: Socket): void {
    this.got.push(socket);
  }
  take(): void {
    this.emit('message', fromWorker.took);
  }
}

const asWorker = (worker: TestWorker) => worker as unknown as Worker;

describe('a port that workers share', () => {
  const clients: Socket[] = [];
  const call = async (port: number) => {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    clients.push(client);
    await once(client, 'connect');
    return client;
  };
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });
  const close = (workers: readonly TestWorker[]) => {
    for (const { got } of workers) for (const socket of got) socket.destroy();
  };

  it('gives connections to the workers in turn, and none to a worker that has not taken its last one', async () => {
    const [one, two] = [new TestWorker(), new TestWorker()];
    const port = await openSharedPort({ port: 0, host: '127.0.0.1' }, 10);
    port.add(asWorker(one));
    port.add(asWorker(two));
    for (let n = 0; n < 4; n++) await call(port.port);
    await until(async () => one.got.length + two.got.length === 2);
    expect([one.got.length, two.got.length]).to.deep.equal([1, 1]);
    two.take();
    await until(async () => two.got.length === 2);
    two.take();
    await until(async () => two.got.length === 3);
    expect(one.got).to.have.length(1);
    close([one, two]);
    await port.close();
  });

  it('closes, but first gives every connection that was made to a worker', async () => {
    const worker = new TestWorker();
    const port = await openSharedPort({ port: 0, host: '127.0.0.1' }, 10);
    port.add(asWorker(worker));
    for (let n = 0; n < 3; n++) await call(port.port);
    let isClosed = false;
    const closed = port.close().then(() => {
      isClosed = true;
    });
    await until(async () => worker.got.length === 1);
    worker.take();
    await until(async () => worker.got.length === 2);
    expect(isClosed).to.equal(false);
    worker.take();
    await closed;
    expect(worker.got).to.have.length(3);
    const late = connect(port.port, '127.0.0.1');
    const [error] = await once(late, 'error');
    expect(error.code).to.equal('ECONNREFUSED');
    close([worker]);
  });

  it('closes although connections wait, if the last worker has ended', async () => {
    const worker = new TestWorker();
    const port = await openSharedPort({ port: 0, host: '127.0.0.1' }, 10);
    port.add(asWorker(worker));
    await call(port.port);
    const waiting = await call(port.port);
    await until(async () => worker.got.length === 1);
    const closed = port.close();
    const ended = once(waiting, 'close');
    worker.emit('exit');
    await Promise.all([closed, ended]);
    close([worker]);
  });
});
