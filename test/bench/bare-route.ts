/**
 * What Latchkey is measured against, as a program: `bare-route.ts <kind> <port>`. `bare` answers the bytes of a verification and
 * does nothing else; `deferred` answers all that came in one turn together.
 */
import Router from '@koa/router';
import Koa from 'koa';

const [kind, port] = process.argv.slice(2);
const answer = () => ({ valid: true, license: { expires_at: null } });

const app = new Koa();
const router = new Router();
router.get('/verify', handlerOf(kind));
app.use(router.routes());
app.listen(Number(port), '127.0.0.1');

function handlerOf(kind: string | undefined): (ctx: Koa.Context) => void | Promise<void> {
  switch (kind) {
    case 'bare':
      return (ctx) => {
        ctx.body = answer();
      };
    case 'deferred':
      return deferred();
    default:
      throw new Error(`There is no bare route ${kind}.`);
  }
}

function deferred(): (ctx: Koa.Context) => Promise<void> {
  let waiting: (() => void)[] = [];
  const release = () => {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };
  return async (ctx) => {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(release);
    });
    ctx.body = answer();
  };
}
