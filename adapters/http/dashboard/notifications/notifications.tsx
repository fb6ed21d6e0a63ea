import type { VNode } from 'preact';
import { type NotificationId, parseId, toNotificationId } from '../../../../core/id.ts';
import type { Notification } from '../../../../core/notifications/notification.ts';
import type { Notifications } from '../../../../core/notifications/notifications.ts';
import type { WhichNotifications } from '../../../../core/ports/notification-store.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { browserName } from '../../ui/browser-name.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { Paging } from '../../ui/paging.tsx';
import { Time } from '../../ui/time.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { click } from '../kit/form.ts';
import { type DashboardTools, page, type SignedInVisit } from '../kit/page.ts';
import { words, wordsOf } from './words.ts';

const perPage = 25;
const here = areas.account.notifications;

/** The notifications of the person who is signed in. */
export function notificationPages(tools: DashboardTools, notifications: Notifications): Endpoint[] {
  const acts = { read: notifications.markRead, dismiss: notifications.dismiss };
  /** Buttons for one notification, and for it and all older ones. Newer ones stay, because the reader has not seen them. */
  const buttons = (['read', 'dismiss'] as const).flatMap((act) =>
    [
      { id: `notification-${act}`, path: `/${here}/:id/${act}`, which: (id: NotificationId) => ({ only: id }) },
      { id: `notifications-${act}`, path: `/${here}/all/:id/${act}`, which: (id: NotificationId) => ({ upTo: id }) },
    ].map(({ id, path, which }: { id: string; path: string; which(id: NotificationId): WhichNotifications }) =>
      click(tools, {
        id,
        path,
        audience: 'user',
        async act({ me, params }) {
          const notification = parseId(params.id ?? '', toNotificationId);
          if (notification === undefined) throw new Failure('not_found');
          await acts[act](me.login.id, which(notification));
          return goTo(here);
        },
        refusals: {},
      }),
    ),
  );
  return [
    page(tools, {
      id: 'notifications',
      path: `/${here}`,
      audience: 'user',
      async show(visit) {
        const before = parseId(visit.query.before ?? '', toNotificationId);
        const found = await notifications.list(visit.me.login.id, { before, limit: perPage + 1 });
        return shown(notificationsPage(visit, found, before === undefined));
      },
    }),
    ...buttons,
  ];
}

function notificationsPage({ frame }: SignedInVisit, found: readonly Notification[], isFirst: boolean): VNode {
  const shownOnes = found.slice(0, perPage);
  const [newest] = shownOnes;
  const last = found.length > perPage ? shownOnes.at(-1) : undefined;
  const address = `${frame.root}${here}`;
  return (
    <AreaPage
      frame={frame}
      place={{ area: 'account', at: 'notifications' }}
      actions={
        newest && (
          <div class="actions">
            {shownOnes.some(({ readAt }) => readAt === null) && (
              <ButtonForm action={`${address}/all/${newest.id}/read`} label={words.readAll} />
            )}
            <ButtonForm action={`${address}/all/${newest.id}/dismiss`} label={words.dismissAll} />
          </div>
        )
      }
    >
      {newest === undefined ? (
        <EmptyState heading="h2" icon="notifications" title={isFirst ? words.none : words.noneHere}>
          <p>{words.noneAdvice}</p>
          {!isFirst && (
            <p>
              <ButtonLink href={address} text={words.newest} />
            </p>
          )}
        </EmptyState>
      ) : (
        <ul class="entries">
          {shownOnes.map((one) => (
            <Entry key={one.id} notification={one} root={frame.root} />
          ))}
        </ul>
      )}
      <Paging
        label={words.pages}
        back={isFirst ? undefined : { href: address, title: words.newest }}
        on={last && { href: `${address}?before=${last.id}`, title: words.older }}
      />
    </AreaPage>
  );
}

/** A notification, which leads to what it is about. */
function Entry({ notification, root }: { readonly notification: Notification; readonly root: string }): VNode {
  const { id, notice, createdAt, readAt } = notification;
  const { title, text, to } = wordsOf(notice);
  const address = `${root}${here}/${id}`;
  const about = `about-${id}`;
  return (
    <li class={readAt === null ? 'entry unread' : 'entry'}>
      <h2 class="headline">
        {readAt === null && <span class="unseen">{words.unread}: </span>}
        <a class="whole-entry" href={`${root}${to}`} aria-describedby={about}>
          {title}
        </a>
      </h2>
      <p id={about} dir="auto">
        {text}
      </p>
      <p class="details" dir="auto">
        {notice.kind === 'new_sign_in' && <span>{browserName(notice.browser)}</span>}
        <Time at={createdAt} />
      </p>
      <div class="acts">
        {readAt === null && (
          <ButtonForm action={`${address}/read`} label={words.read} name={words.about(title)} look="small quiet" />
        )}
        <ButtonForm action={`${address}/dismiss`} label={words.dismiss} name={words.about(title)} look="small quiet" />
      </div>
    </li>
  );
}
