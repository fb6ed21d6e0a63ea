import type { Rights } from '../../core/licensing/license.ts';

/** The columns of the rights of a license. */
export interface RightsRow {
  readonly updates_until: number | null;
  /** JSON. `null` without entitlements. */
  readonly entitlements: string | null;
}

/** Most licenses have no entitlements. They share this list. */
const none: readonly string[] = [];

export function toRights({ updates_until: updatesUntil, entitlements }: RightsRow): Rights {
  return { updatesUntil, entitlements: toEntitlements(entitlements) };
}

export function toEntitlements(json: string | null): readonly string[] {
  return json === null ? none : JSON.parse(json);
}

export function rightsRow({ updatesUntil = null, entitlements = none }: Partial<Rights>): RightsRow {
  return { updates_until: updatesUntil, entitlements: entitlements.length === 0 ? null : JSON.stringify(entitlements) };
}
