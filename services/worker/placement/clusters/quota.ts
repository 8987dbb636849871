import { toAmount } from '../../../adapters/kubernetes/quantity.ts';
import type { PodRequirements } from './room.ts';

/** The parts of a ResourceQuota that room depends on. */
export interface QuotaObject {
  spec?: { scopes?: string[]; scopeSelector?: object };
  status?: { hard?: Record<string, string>; used?: Record<string, string> };
}

type Needs = Pick<PodRequirements, 'requests' | 'limits'>;

/** The quota that counts Jobs. */
const COUNTS_JOBS = 'count/jobs.batch';

/**
 * The number of pods with these requests for which the quotas of a namespace leave room; Infinity without quotas. A
 * quota with scopes may not apply to these pods, so only the API server checks such a quota.
 */
export function quotaRoom(quotas: readonly QuotaObject[], needs: Needs): number {
  const left = quotas.filter(hasNoScopes).flatMap(({ status: { hard = {}, used = {} } = {} }) =>
    Object.entries(hard).map(([name, quantity]) => {
      const free = toAmount(quantity) - toAmount(used[name] ?? '0');
      if (name === COUNTS_JOBS) return free >= 1 ? Infinity : 0;
      const needed = neededAmount(name, needs);
      return needed === 0 ? Infinity : Math.floor(free / needed);
    }),
  );
  return Math.max(0, Math.min(Infinity, ...left));
}

function hasNoScopes({ spec = {} }: QuotaObject): boolean {
  return (spec.scopes ?? []).length === 0 && spec.scopeSelector === undefined;
}

function neededAmount(name: string, { requests, limits }: Needs): number {
  if (name === 'pods' || name === 'count/pods') return 1;
  if (name.startsWith('limits.')) return limits[name.slice('limits.'.length)] ?? 0;
  return requests[name.replace(/^requests\./, '')] ?? 0;
}
