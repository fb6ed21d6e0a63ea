/** The program that Latchkey is compared with: `bare-route.ts <port>` returns the bytes of a verification. */
import Router from '@koa/router';
import Koa from 'koa';

const app = new Koa();
const router = new Router();
router.get('/verify', (ctx) => {
  ctx.body = { valid: true, license: { expires_at: null, updates_until: null, entitlements: [] } };
});
app.use(router.routes());
app.listen(Number(process.argv[2]), '127.0.0.1');
