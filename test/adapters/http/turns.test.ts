import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { inTurns } from '../../../adapters/http/turns.ts';

describe('requests that arrive at once', () => {
  /** Lets requests of the addresses `a` and `b` arrive. Returns what is started, turn by turn. */
  async function startedOf(urls: readonly string[], gone: readonly string[] = []): Promise<string[][]> {
    let turn: string[] = [];
    const listener = inTurns(
      ({ url = '' }) => turn.push(url),
      ({ url = '' }) => url.slice(0, 1),
    );
    for (const url of urls) {
      const socket = new Socket();
      const request = Object.assign(new IncomingMessage(socket), { url });
      listener(request, new ServerResponse(request));
      if (gone.includes(url)) socket.destroy();
    }
    const turns: string[][] = [turn];
    for (let n = 0; n < urls.length; n++) {
      turn = [];
      await nextTurn();
      turns.push(turn);
    }
    return turns;
  }

  it('start one in each turn of the event loop, and those of all addresses in turn', async () => {
    const turns = await startedOf(['a1', 'a2', 'a3', 'b1']);
    expect(turns.filter((one) => one.length > 0)).to.deep.equal([['a1'], ['b1'], ['a2'], ['a3']]);
  });

  it('never start if their connection has closed meanwhile', async () => {
    const turns = await startedOf(['a1', 'a2', 'a3', 'b1', 'b2'], ['a1', 'a3', 'b1']);
    expect(turns.flat()).to.deep.equal(['a2', 'b2']);
  });
});
