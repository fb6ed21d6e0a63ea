/** What Latchkey is measured against, as a program: `bare-route.ts <port>` answers the bytes of a verification and does nothing else. */
import Router from '@koa/router';
import Koa from 'koa';

const app = new Koa();
const router = new Router();
router.get('/verify', (ctx) => {
  ctx.body = { valid: true, license: { expires_at: null } };
});
app.use(router.routes());
app.listen(Number(process.argv[2]), '127.0.0.1');
