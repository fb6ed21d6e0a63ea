import { isUnder } from '../surface.ts';

export const ownsAccountApi = (path: string) => isUnder(path, '/api') && !isUnder(path, '/api/license');
