import type { Surface, SurfacePlace } from '../../adapters/http/surface.ts';

/** The place of a surface that is made already. */
export function placed(surface: Surface): SurfacePlace {
  return { owns: surface.owns, isDirect: true, surface: async () => surface };
}
