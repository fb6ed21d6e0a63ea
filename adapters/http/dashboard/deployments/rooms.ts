import type { PlaceIn } from '../../ui/area-page.tsx';
import type { Reach } from '../kit/list.tsx';
import type { SignedInAudience } from '../kit/page.ts';
import { words } from './words.ts';

/** The pages with the deployments of a seller's templates, or of all. */
export interface Room {
  readonly id: string;
  readonly place: PlaceIn<'selling'> | PlaceIn<'admin'>;
  readonly audience: SignedInAudience;
  readonly reach: Reach;
  readonly lead: string;
  /** The advice on an empty page. */
  readonly noneAdvice: string;
}

export const rooms: readonly Room[] = [
  {
    id: 'selling-deployments',
    place: { area: 'selling', at: 'deployments' },
    audience: 'user',
    reach: 'own',
    lead: words.figures.lead,
    noneAdvice: words.figures.noneAdvice,
  },
  {
    id: 'admin-deployments',
    place: { area: 'admin', at: 'deployments' },
    audience: 'products:manage',
    reach: 'all',
    lead: words.figures.allLead,
    noneAdvice: words.figures.noneOfAll,
  },
];
