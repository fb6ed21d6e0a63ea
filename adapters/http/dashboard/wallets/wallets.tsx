import type { VNode } from 'preact';
import { z } from 'zod';
import { knownChains } from '../../../../core/deployments/chains.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Whose } from '../../../../core/sellers/whose.ts';
import { minute } from '../../../../core/time.ts';
import { proofLives } from '../../../../core/usdc/wallet.ts';
import { addressAdvice, chainName, type ShownWallets, type Wallets } from '../../../../core/usdc/wallets.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas, entryOf } from '../../ui/area-page.tsx';
import { AreaField, ChoiceField, Form, TextField } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { goTo } from '../kit/answer.ts';
import { required } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { actorOf, type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { modeIn, SellingPage, sellingPath } from '../kit/selling.tsx';
import { WalletSigning } from './signing.tsx';
import { WalletList } from './wallet-list.tsx';
import { words } from './words.ts';

export interface WalletTools {
  readonly wallets: Wallets;
}

/** Where the pages of somebody's wallets are, and how they look. */
interface Room {
  readonly whose: Whose;
  readonly id: string;
  readonly path: string;
  readonly audience: 'user' | 'settings:manage';
  readonly lead: string;
  /** A page of it. `isFirst`: the one that the others are below of. */
  frame(visit: SignedInVisit, title: string, content: VNode, isFirst?: boolean): VNode;
  /** The path of the first page, from the site's first page. */
  home(visit: SignedInVisit): string;
}

const scripts = ['copy.js', 'wallet.js'] as const;

/** The way to a page of a room, whose first page is below `entry`. */
function way({ frame: { root } }: SignedInVisit, entry: ReturnType<typeof entryOf>, isFirst: boolean) {
  if (isFirst) return { isBelow: true };
  return {
    above: [
      { href: `${root}${entry.path}`, title: entry.title },
      { href: `${root}${entry.path}/wallets`, title: words.title },
    ],
  };
}

const rooms: readonly Room[] = [
  {
    whose: 'own',
    id: 'own-wallets',
    path: `/${areas.selling.orders}/wallets`,
    audience: 'user',
    lead: words.lead,
    frame: (visit, title, content, isFirst = false) => (
      <SellingPage
        {...{ visit, title, scripts }}
        at="orders"
        {...way(visit, entryOf({ area: 'selling', at: 'orders' }, modeIn(visit)), isFirst)}
      >
        {content}
      </SellingPage>
    ),
    home: (visit) => sellingPath(visit, 'orders/wallets'),
  },
  {
    whose: 'site',
    id: 'site-wallets',
    path: `/${areas.admin.settings}/wallets`,
    audience: 'settings:manage',
    lead: words.siteLead,
    frame: (visit, title, content, isFirst = false) => (
      <AreaPage
        {...{ frame: visit.frame, title, scripts }}
        place={{ area: 'admin', at: 'settings' }}
        {...way(visit, entryOf({ area: 'admin', at: 'settings' }), isFirst)}
      >
        {content}
      </AreaPage>
    ),
    home: () => `${areas.admin.settings}/wallets`,
  },
];

/** The addresses to which buyers pay: those of a seller, and those of the site. Not found if the site has no chain. */
export function walletPages(tools: DashboardTools, own: WalletTools): Endpoint[] {
  return rooms.flatMap((room) => [
    ...listPage(tools, own, room),
    ...signPage(tools, own, room),
    ...removePage(tools, own, room),
  ]);
}

async function shownIn({ wallets }: WalletTools, { whose }: Room, visit: SignedInVisit): Promise<ShownWallets> {
  if (wallets.chainIds.length === 0) throw new Failure('not_found');
  return orFail(await wallets.show(whose, actorOf(visit)));
}

function listPage(tools: DashboardTools, own: WalletTools, room: Room): Endpoint[] {
  const { wallets } = own;
  return form(tools, {
    ...{ id: room.id, path: room.path, audience: room.audience, isSensitive: true },
    fields: z.object({
      chain: required(20, words.noChain),
      address: required(100, words.noAddressTyped),
    }),
    initial: () => ({ chain: String(wallets.chainIds[0] ?? '') }),
    async render(visit, state) {
      const { wallets: shown, proof } = await shownIn(own, room, visit);
      const address = `${visit.frame.root}${room.home(visit)}`;
      return room.frame(
        visit,
        words.title,
        <>
          <p class="intro">{room.lead}</p>
          {shown.length === 0 ? (
            <p class="blank">{words.none}</p>
          ) : (
            <WalletList wallets={shown} address={address} spelled={wallets.spelled} />
          )}
          {proof && (
            <p class="note">
              {words.toSign(wallets.spelled(proof.address), chainName(proof.chainId))}{' '}
              <a href={`${address}/sign`}>{words.sign.title}</a>
            </p>
          )}
          <h2>{words.add}</h2>
          <p class="lead">
            {words.addLead} {words.waitsLead}
          </p>
          <Form state={state} submit={words.next}>
            <ChoiceField
              name="chain"
              type="radio"
              label={words.chain}
              options={wallets.chainIds.map((id) => [String(id), optionOf(id)] as const)}
            />
            <TextField name="address" label={words.address} hint={words.addressHint} isCode />
          </Form>
        </>,
        true,
      );
    },
    async act(visit, { chain, address }) {
      await shownIn(own, room, visit);
      const asked = await wallets.ask(room.whose, { chainId: Number(chain), address }, actorOf(visit));
      return isRefused(asked) ? asked : goTo(`${room.home(visit)}/sign`);
    },
    refusals: {
      unknown_chain: { field: 'chain', text: words.noChain },
      address_invalid: { field: 'address', text: addressAdvice },
      address_is_token: { field: 'address', text: words.isToken },
      forbidden: { text: words.noChain },
    },
  });
}

/** The name of a chain as a choice. On a testnet, only products in test mode are paid. */
function optionOf(id: number): string {
  return knownChains.get(id)?.isMainnet === false ? words.testnet(chainName(id)) : chainName(id);
}

function signPage(tools: DashboardTools, own: WalletTools, room: Room): Endpoint[] {
  const { sign } = words;
  return form(tools, {
    ...{ id: `${room.id}-sign`, path: `${room.path}/sign`, audience: room.audience, isSensitive: true },
    // Signatures of contracts can be long.
    fields: z.object({ signature: required(20_000, sign.noSignature) }),
    async render(visit, state) {
      const { proof } = await shownIn(own, room, visit);
      const back = `${visit.frame.root}${room.home(visit)}`;
      return room.frame(
        visit,
        sign.title,
        proof === undefined ? (
          <>
            <p>{sign.none}</p>
            <p>
              <a href={back}>{sign.back}</a>
            </p>
          </>
        ) : (
          <>
            <p class="intro">{sign.lead(proofLives / minute)}</p>
            <Secret id="text" label={sign.text} value={proof.text} wraps />
            <WalletSigning id="text" account={own.wallets.spelled(proof.address)} page={`${back}/sign`} />
            <Form state={state} submit={sign.submit} cancel={back}>
              <AreaField name="signature" label={sign.signature} hint={sign.signatureHint} rows={3} />
            </Form>
          </>
        ),
      );
    },
    async act(visit, { signature }) {
      await shownIn(own, room, visit);
      const proved = await own.wallets.prove(room.whose, signature, actorOf(visit));
      if (isRefused(proved)) return proved;
      return goTo(room.home(visit), { notice: proved.next === null ? 'wallet_used' : 'wallet_waits' });
    },
    refusals: {
      no_proof_asked: { text: sign.none },
      wrong_signature: { field: 'signature', text: sign.wrong },
      forbidden: { text: sign.none },
    },
  });
}

function removePage(tools: DashboardTools, own: WalletTools, room: Room): Endpoint[] {
  const { removal } = words;
  const chainIn = ({ params }: SignedInVisit) => Number(params.chain);
  return form(tools, {
    ...{ id: `${room.id}-remove`, path: `${room.path}/:chain/remove`, audience: room.audience, isSensitive: true },
    fields: z.object({}),
    async render(visit, state) {
      const { wallets } = await shownIn(own, room, visit);
      const chainId = chainIn(visit);
      if (!wallets.some((wallet) => wallet.chainId === chainId)) throw new Failure('not_found');
      return room.frame(
        visit,
        removal.title(chainName(chainId)),
        <>
          <p class="intro">{removal.lead}</p>
          <Form state={state} submit={removal.submit} cancel={`${visit.frame.root}${room.home(visit)}`} isDangerous />
        </>,
      );
    },
    async act(visit) {
      await shownIn(own, room, visit);
      const removed = await own.wallets.remove(room.whose, chainIn(visit), actorOf(visit));
      return isRefused(removed) ? removed : goTo(room.home(visit), { notice: 'wallet_removed' });
    },
    refusals: { no_wallet: { text: removal.gone }, forbidden: { text: removal.gone } },
  });
}
