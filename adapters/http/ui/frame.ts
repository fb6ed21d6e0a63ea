/** What every page shows around its content. */
export interface Frame {
  /** The name of the site. */
  readonly site: string;
  /** The relative address of the site's first page, such as `../`. So pages work behind any path prefix. */
  readonly root: string;
  /** The entry of the navigation that the page belongs to. */
  readonly part?: 'products' | 'guides' | 'reference';
}

/** Returns the relative address of the first page, as seen from a path. */
export function rootOf(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}
