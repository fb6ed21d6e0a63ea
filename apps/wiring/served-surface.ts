import type { ContainerModule, Newable } from 'inversify';
import type { Route } from '../../adapters/http/route.ts';
import type { Surface } from '../../adapters/http/surface.ts';
import type { Config } from './config.ts';

/**
 * The description of a surface. Processes that do not serve the surface use it too, to answer its paths with
 * `not_found`.
 */
export interface ServedSurface extends Pick<Surface, 'owns' | 'envelope'> {
  readonly token: Newable<Surface>;
  /** Binds the surface and its parts. */
  readonly module: ContainerModule;
  /** The values of SURFACE whose processes serve it. In other processes, its paths get `not_found`. */
  readonly servedBy: readonly Config['SURFACE'][];
  /** Whether it reads or writes stored files. If so, its processes check the file storage and sweep it. */
  readonly usesFiles?: boolean;
  /** The setting with its public address. */
  readonly url: 'BASE_URL' | 'VERIFY_URL';
  /** Its routes, if they are in the OpenAPI document. */
  readonly documented?: Newable<readonly Route[]>;
}
