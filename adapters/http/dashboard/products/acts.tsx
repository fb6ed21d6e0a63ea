import { z } from 'zod';
import type { Product, ProductStatus } from '../../../../core/marketplace/product.ts';
import { longestRejectionReason, type ProductTransition } from '../../../../core/marketplace/product-transitions.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { AreaField, TextField } from '../../ui/form.tsx';
import type { NoticeName } from '../../ui/notices.ts';
import { act, actAtOnce } from '../kit/act.tsx';
import { optional, required } from '../kit/fields.ts';
import { actorOf, actorWith, type DashboardTools, type Visit } from '../kit/page.ts';
import { addressWith } from '../kit/query.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { receiving } from '../kit/uploads.ts';
import { FilesAgain, ThumbnailField, thumbnailField } from './edit.tsx';
import type { ModerationTools, ProductTools } from './subject.tsx';
import { moderation, words } from './words.ts';

/** The transitions that sellers make with a button. */
const clicked = ['unlist', 'relist', 'resubmit'] as const satisfies ProductTransition[];
/** The message after a button, by the new status. No button leads to `rejected`. */
const notices = {
  pending: 'product_waits',
  published: 'product_relisted',
  unlisted: 'product_unlisted',
  rejected: undefined,
} as const satisfies Record<ProductStatus, NoticeName | undefined>;

/** The acts of a seller: the buttons of a product, the question before it is archived, and another thumbnail. */
export function ownProductActs(
  tools: DashboardTools,
  product: Subject<Product>,
  { products }: ProductTools,
): Endpoint[] {
  return [
    ...clicked.map((transition) =>
      actAtOnce(tools, product, {
        id: `${transition}-own-product`,
        name: transition,
        work: ({ one, visit }) => products.transit(String(one.id), transition, sellerIn(visit)),
        notice: ({ status }) => notices[status],
        refusals: { transition_not_allowed: words.changedMeanwhile },
      }),
    ),

    actAtOnce(tools, product, {
      id: 'approve-own-product',
      name: 'approve',
      audience: 'products:moderate',
      work: ({ one, visit }) => products.transit(String(one.id), 'approve', sellerIn(visit), seenIn(visit)),
      to: (_product, { one, visit }) => `${product.about(one, visit).path}?approved`,
      notice: ({ isLive }) => (isLive ? 'product_published' : 'product_approved_test'),
      refusals: { transition_not_allowed: words.changedMeanwhile },
    }),

    ...act(tools, product, {
      id: 'archive-own-product',
      name: 'archive',
      fields: z.object({}),
      ask: () => ({
        title: words.archiveTitle,
        lead: words.archiveLead,
        submit: words.archiveSubmit,
        isDangerous: true,
      }),
      work: ({ one, visit }) => products.transit(String(one.id), 'archive', sellerIn(visit)),
      notice: 'product_archived',
      refusals: { transition_not_allowed: { text: words.changedMeanwhile } },
    }),

    ...act(tools, product, {
      id: 'new-thumbnail',
      name: 'thumbnail',
      fields: z.object({}),
      receive: receiving(tools, thumbnailField),
      ask: () => ({
        title: words.newThumbnail,
        scripts: ['upload.js'],
        fields: (
          <>
            <FilesAgain />
            <ThumbnailField tools={tools} />
          </>
        ),
        submit: words.uploadThumbnail,
        hasFiles: true,
      }),
      work({ one, visit, files: { thumbnail } }) {
        if (thumbnail === undefined) throw new Error('A form without its file passed the checks.');
        return products.setThumbnail(String(one.id), thumbnail, sellerIn(visit));
      },
      notice: 'thumbnail_set',
      refusals: {
        product_archived: { text: words.archivedAlready },
        quota_exceeded: asRefused('thumbnail'),
      },
    }),
  ];
}

/**
 * The time of the last change that a moderator has seen. What the moderator has not seen is not approved, such as a zip
 * that was uploaded meanwhile.
 */
function seenIn({ query: { seen = '' } }: Visit): Instant | undefined {
  return /^\d{1,15}$/.test(seen) ? Number(seen) : undefined;
}

/** The rest of the queue, with the ways on from the decision. */
function toQueue({ id, isLive }: Product): string {
  return addressWith(areas.admin.moderation, { mode: isLive ? '' : 'test', decided: String(id) });
}

/** The acts of a moderator: the decisions, which lead back to the queue, and the choice of a template. */
export function moderationActs(
  tools: DashboardTools,
  product: Subject<Product>,
  { administration, templates }: ModerationTools,
): Endpoint[] {
  const { template, ...words } = moderation;
  return [
    actAtOnce(tools, product, {
      id: 'admin-approve-product',
      name: 'approve',
      work: ({ one, visit }) => administration.change(String(one.id), 'approve', actorOf(visit), seenIn(visit)),
      to: toQueue,
      notice: 'product_approved',
      refusals: { transition_not_allowed: words.changedMeanwhile },
    }),

    ...act(tools, product, {
      id: 'admin-reject-product',
      name: 'reject',
      fields: z.object({ reason: required(longestRejectionReason, words.noReason) }),
      ask: () => ({
        title: words.rejectTitle,
        lead: words.rejectLead,
        fields: <AreaField name="reason" label={words.rejectReason} hint={words.rejectReasonHint} rows={6} />,
        submit: words.rejectSubmit,
        isDangerous: true,
      }),
      work: ({ one, visit, fields: { reason } }) =>
        administration.change(String(one.id), 'reject', actorWith(visit, reason)),
      to: toQueue,
      notice: 'product_rejected',
      refusals: { transition_not_allowed: { text: words.changedMeanwhile } },
    }),

    ...act(tools, product, {
      id: 'admin-product-template',
      name: 'template',
      fields: z.object({ template: optional(200) }),
      initial: async ({ one }) => ({ template: (await templates.of(one))?.slug ?? '' }),
      edits: [],
      ask: () => ({
        title: template.title,
        lead: template.lead,
        fields: <TextField name="template" label={template.field} hint={template.hint} />,
        submit: template.submit,
      }),
      work: ({ one, visit, fields }) => templates.link(String(one.id), fields.template || null, actorOf(visit), one),
      notice: 'product_template_set',
      refusals: {
        template_not_found: { field: 'template', text: template.unknown },
        bundle_without_files: { field: 'template', text: template.noFilesInBundle },
      },
    }),
  ];
}
