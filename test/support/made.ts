import type { LazySurface, Surface } from '../../adapters/http/surface.ts';

/** A surface that is made already. */
export function made(owns: LazySurface['owns'], surface: Surface): LazySurface {
  return { owns, envelope: surface.envelope, atStart: true, make: async () => surface };
}
