import type { VNode } from 'preact';
import { type KeyMode, keyModes } from '../../../../core/accounts/api-key.ts';
import { isRefused } from '../../../../core/refusal.ts';
import {
  type AllFigures,
  type FiguresWish,
  type Grouping,
  groupings,
} from '../../../../core/selling/deployment-figures.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { startOf, steps } from '../../../../core/selling/usage-hours.ts';
import { sendText } from '../../send-file.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, placePath } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ChoiceLinks } from '../../ui/choice-links.tsx';
import { NoRows } from '../../ui/empty-state.tsx';
import { Filter } from '../../ui/filter.tsx';
import { HiddenField, type Options } from '../../ui/form.tsx';
import { areaWords } from '../../ui/words.ts';
import { shown } from '../kit/answer.ts';
import { modeAsked } from '../kit/list.tsx';
import { FilterInput } from '../kit/listing.tsx';
import { actorOf, admit, type DashboardTools, orFail, page, type SignedInVisit } from '../kit/page.ts';
import { ownersOf } from '../kit/people.tsx';
import { addressWith, type Choices, choicesIn, chosen } from '../kit/query.ts';
import { ownProducts } from '../kit/selling.tsx';
import { type DeploymentTools, ownDeployments, soldDeployments } from './lists.tsx';
import { DayPart, GroupParts, type Groups } from './parts.tsx';
import { type Room, rooms } from './rooms.ts';
import { words as all, figureDays, guidePath } from './words.ts';

const { figures: words } = all;

/** The pages about deployments: their figures, and each one. */
export function deploymentPages(tools: DashboardTools, own: DeploymentTools): Endpoint[] {
  return [
    ...rooms.flatMap((room) => figurePages(tools, own, room)),
    ...soldDeployments(tools, own),
    ...ownDeployments(tools, own),
  ];
}

/** A request for figures. */
interface AskedFigures {
  readonly visit: SignedInVisit;
  readonly room: Room;
  readonly mode: KeyMode;
  readonly seller: Seller;
  readonly days: (typeof figureDays)[number];
  readonly product: string;
  readonly wish: Omit<FiguresWish, 'by'> & { readonly from: number; readonly to: number };
  /** The address of the page, and what it shows. */
  readonly address: string;
  readonly choices: Choices;
}

function askedBy({ clock }: DashboardTools, room: Room, visit: SignedInVisit): AskedFigures {
  const { days: typed, product } = choicesIn(visit, 'days', 'product');
  const days = chosen(typed, figureDays) ?? '30';
  const mode = modeAsked(visit, room.reach);
  const to = startOf('day', clock.now()) + steps.day;
  return {
    ...{ visit, room, mode, days, product },
    seller: { actor: actorOf(visit), mode },
    wish: {
      ...{ from: to - Number(days) * steps.day, to },
      product: product || undefined,
      sellerId: room.reach === 'own' ? visit.me.login.id : undefined,
    },
    address: `${visit.frame.root}${placePath(room.place, mode)}`,
    choices: { days, product, mode: room.reach === 'all' && mode === 'test' ? mode : '' },
  };
}

function figurePages(tools: DashboardTools, own: DeploymentTools, room: Room): Endpoint[] {
  const path = `/${placePath(room.place)}`;
  return [
    page(tools, {
      ...{ id: room.id, path, audience: room.audience },
      async show(visit) {
        const asked = askedBy(tools, room, visit);
        const [groups, products] = await Promise.all([
          groupsOf(own, asked),
          room.reach === 'own' ? ownProducts(own.products, visit, asked.product) : undefined,
        ]);
        const accounts = room.reach === 'all' ? (groups?.account ?? []).map(({ userId }) => userId) : [];
        const owners = await ownersOf(own.accounts, accounts);
        return shown(<FiguresPage asked={asked} groups={groups && { ...groups, owners }} products={products} />);
      },
    }),
    {
      id: `${room.id}-export`,
      method: 'get',
      paths: [`${path}/export`],
      async respond(ctx) {
        const visit = await admit(tools, ctx, room.audience);
        if (visit === undefined) return;
        const by = chosen<Grouping>(visit.query.by ?? '', groupings) ?? 'day';
        const { wish, seller } = askedBy(tools, room, visit);
        const file = orFail(await own.sold.exportFigures({ ...wish, by }, seller));
        // Accounts of several templates are not summed, so they have no line.
        const text = isRefused(file) ? nothing() : file;
        await sendText(ctx, text, { mediaType: 'text/csv', filename: `deployments-by-${by}.csv` });
      },
    },
  ];
}

async function* nothing(): AsyncGenerator<string> {}

/** Returns the figures by everything, or `undefined` if there is no such product. */
async function groupsOf({ sold }: DeploymentTools, { wish, seller }: AskedFigures): Promise<AllFigures | undefined> {
  const found = await sold.allFigures(wish, seller);
  if (!isRefused(found)) return found;
  if (found.reason !== 'product_not_found') orFail(found);
  return undefined;
}

function FiguresPage({
  asked,
  groups,
  products,
}: {
  readonly asked: AskedFigures;
  /** `undefined`: there is no such product. */
  readonly groups: Groups | undefined;
  readonly products: Options | undefined;
}): VNode {
  const { visit, room, mode, days, product, wish, address, choices } = asked;
  const isBlank = groups?.template.length === 0 && groups.day.length === 0 && product === '';
  return (
    <AreaPage
      frame={visit.frame}
      place={room.place}
      mode={mode}
      actions={<ButtonLink href={addressWith(`${address}/list`, { mode: choices.mode ?? '' })} text={words.list} />}
    >
      <p class="intro">{room.lead}</p>
      <div class="part first">
        <ChoiceLinks
          label={words.ranges}
          names={words.range}
          values={figureDays}
          chosen={days}
          hrefOf={(one) => addressWith(address, { ...choices, days: one })}
        />
        {room.reach === 'all' && (
          <ChoiceLinks
            label={areaWords.modes.label}
            names={areaWords.modes}
            values={keyModes}
            chosen={mode}
            hrefOf={(one) => addressWith(address, { ...choices, mode: one === 'test' ? one : '' })}
          />
        )}
      </div>
      {isBlank ? (
        <NoRows
          icon="deployments"
          title={words.noneTitle}
          advice={room.noneAdvice}
          href={`${visit.frame.root}${guidePath}`}
          action={all.guide}
        />
      ) : (
        <>
          <Filter isActive={product !== ''} clear={addressWith(address, { ...choices, product: '' })} find={words.show}>
            <HiddenField name="days" value={days} />
            {choices.mode && <HiddenField name="mode" value={choices.mode} />}
            <FilterInput
              name="product"
              value={product}
              field={{ label: words.of, typed: words.typed, options: () => products }}
              found={groups}
            />
          </Filter>
          {groups === undefined ? (
            <p class="blank">{words.noProduct}</p>
          ) : (
            <>
              <DayPart
                root={visit.frame.root}
                address={address}
                choices={choices}
                groups={groups}
                range={wish}
                days={days}
              />
              <GroupParts
                root={visit.frame.root}
                address={address}
                choices={choices}
                groups={groups}
                isOfAll={room.reach === 'all'}
              />
            </>
          )}
        </>
      )}
    </AreaPage>
  );
}
