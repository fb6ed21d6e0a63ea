import { isUnder } from '../surface.ts';

export const ownsStorefront = (path: string) => isUnder(path, '/api/marketplace/products');
