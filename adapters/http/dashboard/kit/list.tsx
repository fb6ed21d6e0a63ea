import type { ComponentChildren, VNode } from 'preact';
import { type KeyMode, keyModes } from '../../../../core/accounts/api-key.ts';
import type { UserId } from '../../../../core/id.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { sendText } from '../../send-file.ts';
import type { Endpoint } from '../../surface.ts';
import { type Area, AreaPage, type PlaceIn, placePath } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import { areaWords, listWords } from '../../ui/words.ts';
import { shown } from './answer.ts';
import { type FilterFields, isBlank, Listing, type NoneOf, type Part, type Rows } from './listing.tsx';
import { actorOf, admit, type DashboardTools, page, type SignedInAudience, type SignedInVisit } from './page.ts';
import { addressWith, choicesIn, choicesOf, chosen } from './query.ts';
import { modeIn } from './selling.tsx';

/** Whose things a list has: those of the reader, or those of everybody. */
export type Reach = 'own' | 'all';

/** The mode of the data that a page shows: that of its path, or of its filter. */
export function modeAsked(visit: SignedInVisit, reach: Reach | undefined): KeyMode {
  return reach === 'own' ? modeIn(visit) : (chosen(visit.query.mode ?? '', keyModes) ?? 'live');
}

/** A request for a list. */
export interface Asked<Name extends string> extends Part {
  readonly visit: SignedInVisit;
  readonly choices: Readonly<Record<Name, string>>;
  /** The reader, with the mode of the data that the list shows. */
  readonly seller: Seller;
  /** The owner of the things in the list. `undefined` means all. */
  readonly ownerId: UserId | undefined;
  /** The relative address of the site's first page. */
  readonly root: string;
}

/** What a list shows beside its filters. */
export interface ShownRows {
  readonly table: VNode;
  /** Stands in the place of the table if the list without filters is empty. */
  readonly first?: VNode;
  /** Stands above the filters. */
  readonly above?: ComponentChildren;
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
}

/** A page with a list that is an entry of the navigation, or below one. */
export interface ListPage<Name extends string, Found extends Rows> {
  readonly id: string;
  readonly place: PlaceIn<Area>;
  /** The end of its path, if it is a page below the entry of the navigation. */
  readonly below?: string;
  readonly audience: SignedInAudience;
  /**
   * For things with live and test data: the address of `own` has the mode, and `all` has a filter for it. Without it, the
   * list has neither.
   */
  readonly reach?: Reach;
  /** Only of a page below an entry: the entry has its own. */
  readonly title?: string;
  readonly filters: FilterFields<Name, Found>;
  find(asked: Asked<Name>): Promise<Found>;
  show(found: Found, asked: Asked<Name>): ShownRows;
  readonly none: NoneOf<Found>;
  /** Whether `first` stands alone, without filters and buttons. */
  readonly isFirstAlone?: boolean;
  /** See `Part.afterName`. */
  readonly afterName?: string;
  /** See `Listing`. */
  readonly pages?: string;
  readonly scripts?: readonly Asset[];
  /** The rows as a file. It has these filters, or all. */
  readonly csv?: {
    readonly filename: string;
    readonly filters?: readonly Name[];
    write(asked: Asked<Name>): AsyncIterable<string>;
  };
}

/** Makes the endpoint of a list, and that of its file. */
export function list<const Name extends string, Found extends Rows>(
  tools: DashboardTools,
  {
    id,
    place,
    below,
    audience,
    reach,
    title,
    filters,
    find,
    show,
    none,
    csv,
    afterName = 'after',
    ...more
  }: ListPage<Name, Found>,
): Endpoint[] {
  const end = below === undefined ? '' : `/${below}`;
  const path = `/${placePath(place)}${end}`;
  const { modes } = areaWords;
  const mode = { label: modes.label, options: Object.entries({ '': modes.live, test: modes.test }), isKept: true };
  const fields: FilterFields<string, Found> = reach === 'all' ? { ...filters, mode } : filters;

  function askedBy(visit: SignedInVisit): Asked<Name> {
    const mode = modeAsked(visit, reach);
    const { root } = visit.frame;
    return {
      visit,
      root,
      choices: { ...choicesOf(visit, filters), ...(reach === 'all' && choicesIn(visit, 'mode')) },
      address: `${root}${placePath(place, mode)}${end}`,
      after: visit.query[afterName] || undefined,
      afterName,
      seller: { actor: actorOf(visit), mode },
      ownerId: reach === 'own' ? visit.me.login.id : undefined,
    };
  }

  const shownPage = page(tools, {
    id,
    path,
    audience,
    async show(visit) {
      const asked = askedBy(visit);
      const found = await find(asked);
      const { table, first, above, actions } = show(found, asked);
      const isAlone = more.isFirstAlone && isBlank(asked, found);
      return shown(
        <AreaPage
          frame={visit.frame}
          place={place}
          mode={asked.seller.mode}
          title={title}
          isBelow={below !== undefined}
          scripts={more.scripts ?? []}
          actions={!isAlone && (csv ? <div class="choices">{[actions, exportLink(asked, csv.filters)]}</div> : actions)}
        >
          {above}
          <Listing fields={isAlone ? {} : fields} part={asked} pages={more.pages} {...{ found, none, first }}>
            {table}
          </Listing>
        </AreaPage>,
      );
    },
  });
  if (csv === undefined) return [shownPage];
  const { filename, write } = csv;
  return [
    shownPage,
    {
      id: `${id}-export`,
      method: 'get',
      paths: [`${path}/export`],
      async respond(ctx) {
        const visit = await admit(tools, ctx, audience);
        if (visit) await sendText(ctx, write(askedBy(visit)), { mediaType: 'text/csv', filename });
      },
    },
  ];
}

function exportLink({ address, choices }: Part, names: readonly string[] = Object.keys(choices)): VNode {
  const kept = Object.fromEntries(names.map((name) => [name, choices[name] ?? '']));
  return (
    <a class="button" href={addressWith(`${address}/export`, kept)} download>
      {listWords.exportCsv}
    </a>
  );
}
