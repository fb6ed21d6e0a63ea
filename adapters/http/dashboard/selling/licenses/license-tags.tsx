import type { VNode } from 'preact';
import type { LicenseStatus } from '../../../../../core/licensing/license.ts';
import type { SoldLicense } from '../../../../../core/selling/sold-license.ts';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';

const { sellingLicenses: words } = texts;

const looks = {
  active: 'tag good',
  suspended: 'tag busy',
  revoked: 'tag bad',
  expired: 'tag',
} as const satisfies Record<LicenseStatus, string>;

export function StatusTag({ status }: { readonly status: LicenseStatus }): VNode {
  return <span class={looks[status]}>{words.statuses[status]}</span>;
}

/** The status, and whether it is a license for tests. */
export function LicenseTags({ status, license }: Pick<SoldLicense, 'license' | 'status'>): VNode {
  return (
    <span class="tags">
      <StatusTag status={status} />
      {!license.isLive && <span class="tag">{words.test}</span>}
    </span>
  );
}

/** When the license ends. */
export function Expiry({ license: { expiresAt, daysFromActivation } }: Pick<SoldLicense, 'license'>): VNode {
  if (expiresAt !== null) return <Time at={expiresAt} />;
  return <>{daysFromActivation === null ? words.perpetual : words.daysFromActivation(daysFromActivation)}</>;
}
