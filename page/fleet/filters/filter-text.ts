import type { FleetFilters } from '../../address/page-address.ts';
import { shortInstant } from '../../components/instants.ts';

/** A chosen filter, with its subject, its value, and the other filters. */
export interface Chip {
  about: string;
  value: string;
  without: FleetFilters;
}

/** The chosen filters, except the scope, which the page shows elsewhere. */
export function filterChips(filters: FleetFilters, now: number): Chip[] {
  const {
    status = [],
    kubectlStatus = [],
    labels = [],
    owner,
    reason,
    text,
    deleted,
    from,
    before,
  } = filters;
  const chips: (Chip | null)[] = [
    status.length === 0 ? null : toChip('status', status.join(' or '), filters, ['status']),
    kubectlStatus.length === 0
      ? null
      : toChip('Kubernetes’ status', kubectlStatus.join(' or '), filters, ['kubectlStatus']),
    reason === undefined ? null : toChip('reason', reason, filters, ['reason']),
    text === undefined ? null : toChip('name has', text, filters, ['text']),
    owner === undefined ? null : toChip('owner', owner, filters, ['owner']),
    deleted === undefined ? null : toChip('deleted', 'hidden', filters, ['deleted']),
    from === undefined && before === undefined
      ? null
      : toChip('created', periodText(from, before, now), filters, ['from', 'before']),
    ...labels.map((label) => ({ about: 'label', value: label, without: withoutLabel(filters, label) })),
  ];
  return chips.filter((each) => each !== null);
}

/** A chosen filter as text; `fields` are the filters that it stands for. */
function toChip(
  about: string,
  value: string,
  filters: FleetFilters,
  fields: readonly (keyof FleetFilters)[],
): Chip {
  const rest = Object.entries(filters).filter(([field]) => !fields.some((each) => each === field));
  return { about, value, without: Object.fromEntries(rest) };
}

/** The limits of the creation time as text. */
function periodText(from: number | undefined, before: number | undefined, now: number): string {
  if (before === undefined) return `from ${shortInstant(from ?? 0, now)}`;
  if (from === undefined) return `before ${shortInstant(before, now)}`;
  return `${shortInstant(from, now)} to ${shortInstant(before, now)}`;
}

/** The filters without a label. */
function withoutLabel({ labels = [], ...rest }: FleetFilters, label: string): FleetFilters {
  const left = labels.filter((each) => each !== label);
  return left.length === 0 ? rest : { ...rest, labels: left };
}
