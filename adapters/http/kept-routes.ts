import Router from '@koa/router';
import { LRUCache } from 'lru-cache';
import type { State } from './state.ts';

/** How many paths are remembered, and how long they may be. Longer ones are rare. */
const most = 500;
const longest = 200;

type Match = ReturnType<ReturnType<typeof createRouter>['match']>;

const createRouter = () => new Router<State>();

/** Makes a router that remembers which of its routes a path has. Otherwise it tries the expressions of all routes for each call. */
export function createKeptRoutes() {
  const router = createRouter();
  const find = router.match.bind(router);
  const found = new LRUCache<string, Match>({ max: most });
  router.match = (path, method) => {
    if (path.length > longest) return find(path, method);
    const name = `${method} ${path}`;
    let match = found.get(name);
    if (match === undefined) {
      match = find(path, method);
      found.set(name, match);
    }
    // The router adds to the list of the call.
    return { ...match, path: [...match.path] };
  };
  return router;
}
