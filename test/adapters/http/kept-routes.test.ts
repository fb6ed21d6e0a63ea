import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import { createKeptRoutes } from '../../../adapters/http/kept-routes.ts';
import type { State } from '../../../adapters/http/state.ts';
import { itLong } from '../../support/required-service.ts';

describe('a router that remembers which routes a path has', () => {
  itLong('finds the routes of a path once for each method, and answers as before', async () => {
    const asked: string[] = [];
    const { match } = Router.prototype;
    Router.prototype.match = function (path: string, method: string) {
      asked.push(`${method} ${path}`);
      return match.call(this, path, method);
    };
    const router = createKeptRoutes();
    Router.prototype.match = match;
    router.get('/things/:id', (ctx) => {
      ctx.body = `${ctx.params.id}, ${ctx.matched?.length}`;
    });
    router.post('/things/:id', (ctx) => {
      ctx.body = 'sent';
    });
    const app = new Koa<State>();
    app.use(router.routes()).use(router.allowedMethods());
    const server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const call = async (path: string, methodOf = 'GET') => {
      const answer = await fetch(url + path, { method: methodOf });
      return [answer.status, await answer.text(), answer.headers.get('Allow')];
    };
    try {
      for (let n = 0; n < 3; n++) {
        expect(await call('/things/1')).to.deep.equal([200, '1, 2', null]);
        expect(await call('/things/2')).to.deep.equal([200, '2, 2', null]);
        expect(await call('/things/1', 'POST')).to.deep.equal([200, 'sent', null]);
        expect(await call('/things/1', 'PUT')).to.deep.equal([405, 'Method Not Allowed', 'HEAD, GET, POST']);
        expect((await call('/nothing'))[0]).to.equal(404);
      }
      expect(asked.toSorted()).to.deep.equal(
        ['GET /nothing', 'GET /things/1', 'GET /things/2', 'POST /things/1', 'PUT /things/1'].toSorted(),
      );
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
