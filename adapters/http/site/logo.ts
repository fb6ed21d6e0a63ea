import { Failure } from '../failures.ts';
import type { Endpoint } from '../surface.ts';
import { logoOf } from '../ui/logo.ts';

/** The logo of the settings, and the icon that is made of it. An address of an older one is not found. */
export function logoEndpoint(text: () => string): Endpoint {
  return {
    id: 'logo',
    method: 'get',
    paths: ['/logo/:name'],
    respond(ctx) {
      const logo = logoOf(text());
      const address = `logo/${ctx.params.name}`;
      const isIcon = logo?.icon.address === address;
      if (logo === undefined || (logo.address !== address && !isIcon)) throw new Failure('not_found');
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      if (isIcon) ctx.set('Content-Security-Policy', "default-src 'none'; img-src data:");
      ctx.type = isIcon ? 'image/svg+xml' : logo.type;
      ctx.body = isIcon ? logo.icon.svg : logo.bytes;
    },
  };
}
