import type { VNode } from 'preact';
import type { DeliveryEntry } from '../../../../../core/webhooks/delivery.ts';
import { List } from '../../../ui/list.tsx';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { DeliveryTag } from './webhook-tags.tsx';

const { deliveries: words } = texts.sellingWebhooks;

/** A list of deliveries. `address` is that of the list of all. On a phone, the first two columns show without scrolling. */
export function DeliveryTable({
  address,
  deliveries,
}: {
  readonly address: string;
  readonly deliveries: readonly DeliveryEntry[];
}): VNode {
  return (
    <List
      label={words.list}
      columns={[
        {
          title: words.event,
          cell: ({ id, type, isTest }) => (
            <>
              <a href={`${address}/${id}`}>
                <code>{type}</code>
              </a>{' '}
              {isTest && <span class="tag">{words.sample}</span>}
            </>
          ),
        },
        { title: words.state, cell: (delivery) => <DeliveryTag delivery={delivery} /> },
        { title: words.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: words.tries, isNumber: true, cell: ({ attempts }) => attempts },
      ]}
      rows={deliveries}
      keyOf={({ id }) => id}
    />
  );
}
