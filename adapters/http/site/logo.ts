import { Failure } from '../failures.ts';
import type { Endpoint } from '../surface.ts';
import { logoOf } from '../ui/logo.ts';

/** The logo of the settings. An address of an older one is not found. */
export function logoEndpoint(text: () => string): Endpoint {
  return {
    id: 'logo',
    method: 'get',
    paths: ['/logo/:name'],
    respond(ctx) {
      const logo = logoOf(text());
      if (logo?.address !== `logo/${ctx.params.name}`) throw new Failure('not_found');
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = 'image/webp';
      ctx.body = logo.bytes;
    },
  };
}
