import { createPageMemory } from '../../adapters/http/page-memory.ts';
import { part } from './part.ts';

/** The pages that visitors saw last. The stores of what they show (`shownStore`) empty it. */
export const pageMemory = part(createPageMemory, {});
