import type { UsageByGroup, UsageGrouping, UsageView } from '../../../services/read-model/views/usage.ts';
import { report, write, type OutputOption } from '../../output.ts';
import { table } from '../../print/table.ts';
import { writeJson } from '../../write-json.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';

/** The options of `usage`. */
export interface UsageOptions extends ConnectionOptions, OutputOption {
  readonly by: UsageGrouping;
  /** Start and end of the period, in milliseconds since 1970. */
  readonly since?: number;
  readonly before?: number;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly team?: string;
  /** The maximum number of groups. */
  readonly limit: number;
}

/** Prints a row for each group and one for the sum. `usage` has at most one group beyond the limit, which shows that there are more. */
export function printUsage(usage: UsageByGroup, { by, limit, output }: UsageOptions): void {
  const { from, before, currency, total } = usage;
  const items = usage.items.slice(0, limit);
  if (output === 'json') writeJson({ ...usage, items });
  else {
    write(`from ${from} to ${before}`);
    const cost = (of: Pick<UsageView, 'cost'>): string[] => (currency === null ? [] : [amount(of.cost)]);
    write(
      table(
        [
          by.toUpperCase(),
          'POD HOURS',
          'CPU CORE HOURS',
          'MEMORY GIB HOURS',
          'GPU HOURS',
          'WASTED',
          ...(currency === null ? [] : [`COST (${currency})`]),
        ],
        [
          ...items.map((item) => [item.value ?? 'not wasted', ...hours(item), ...cost(item)]),
          ['total', ...hours(total), ...cost(total)],
        ],
      ),
    );
    for (const line of doubts(total)) write(line);
  }
  if (usage.items.length > items.length) report(`more than ${limit} groups; --limit shows more`);
}

type Hours = Omit<UsageView, 'value'>;

function hours(of: Hours): string[] {
  const wasted = of.pod_hours === 0 ? 0 : of.wasted_pod_hours / of.pod_hours;
  return [
    ...[of.pod_hours, of.cpu_core_hours, of.memory_gib_hours, of.gpu_hours].map((value) => value.toFixed(2)),
    `${(100 * wasted).toFixed(1)} %`,
  ];
}

/** A cost with two decimals; a group without a priced resource has no cost. */
function amount(cost: string | null): string {
  return cost === null ? '-' : Number(cost).toFixed(2);
}

/** What is not certain about the sums. */
function doubts({ uncertain_pod_hours: uncertain, watched }: Hours): string[] {
  return [
    ...(uncertain > 0
      ? [`${uncertain.toFixed(2)} of the pod hours are uncertain, because nobody saw the ends of the pods`]
      : []),
    ...(watched < 1
      ? [`changes of pods were missed in ${(100 * (1 - watched)).toFixed(1)} % of the time`]
      : []),
  ];
}
