import { isPosition } from '../../live-topic/watches.ts';
import { epochIn } from '../../live-topic/epoch.ts';
import type { LiveRecord } from '../../live-topic/live-topic.ts';
import {
  positionToContinue,
  partIn,
  earlierWatches,
  watchName,
  type Part,
} from '../../shards/watch-names.ts';
import { RESOURCES, type Resource, type WatchPosition } from '../live-set/live-set.ts';
import type { TranslationScope } from '../translate/translate.ts';
import type { OptionalResource } from '../../../workflows/ledger/cluster-events.ts';

/** A setting under which objects were recorded; the key of its record in the live topic. */
export type Setting = 'pods' | 'cronjobs' | 'chains';

/** The records of earlier ingesters about a part of a cluster. */
export interface EarlierTerms {
  /** The positions at which the watches continue. */
  positions: Partial<Record<Resource, WatchPosition>>;
  /**
   * True when the API server was restored after the resource was recorded, so that all its objects must be listed and
   * recorded again.
   */
  isRestored(resource: Resource): boolean;
  /** True when some records may belong to an earlier epoch, whose versions mean nothing in the present epoch. */
  hasEarlierEpochs(resource: Resource): boolean;
  /** True when only some of the part has been recorded, so that the resource must be listed. */
  isWider(resource: Resource): boolean;
  /** True when the claim changed, so that pods must be recorded again. */
  isOtherClaim: boolean;
  /**
   * The names of the data that this term records and earlier terms did not. If there is any name, Jobs are recorded
   * again.
   */
  news: string[];
  /** The records of settings that apply to this part too, although the part was watched as a part of other parts. */
  copies: LiveRecord[];
  /**
   * The records of settings that do not hold in this term. These records are written first: without them, the next
   * ingester with the setting would not record the objects that this ingester leaves out.
   */
  dropped: LiveRecord[];
}

/** A watched part of a cluster, and its earlier records. */
export interface Watched {
  part: Part;
  before: EarlierTerms;
  /** The optional resources that the account may read in the part. */
  optional: readonly OptionalResource[];
}

/**
 * Finds out from the records of the live topic what earlier terms recorded about a part of a cluster. `optional` are the
 * optional resources that this term records in the part.
 */
export function readEarlierTerms(
  { cluster, claim, cronJobs }: TranslationScope,
  records: readonly LiveRecord[],
  part: Part,
  optional: readonly OptionalResource[] = [],
): EarlierTerms {
  const ofCluster = records.filter((record) => record.cluster === cluster);
  const positions = Object.fromEntries(
    // The ingester wrote the topic, so the values have the shape of positions.
    ofCluster.filter(isPosition).map(({ key, value }) => [key, value as WatchPosition]),
  );
  const findValue = (setting: Setting, of: Part): unknown =>
    ofCluster.find(({ kind, key }) => kind === 'claim' && key === watchName(setting, of))?.value;
  const partsBefore = (resource: Resource): Part[] => {
    const before = earlierWatches(positions, resource, part);
    return before.length === 0 ? [part] : before.map(partIn);
  };
  const hadValue = (setting: Setting, value: unknown): boolean =>
    partsBefore(LISTED[setting]).every((of) => findValue(setting, of) === value);
  const holds: Readonly<Record<Setting, boolean>> = {
    pods: true,
    cronjobs: cronJobs === true,
    chains: true,
  };
  const findContinuation = (resource: Resource): ReturnType<typeof positionToContinue<WatchPosition>> =>
    positionToContinue(positions, resource, part);
  const epoch = epochIn(cluster, records)?.epoch ?? 0;
  const isRestored = (resource: Resource): boolean => {
    const { position } = findContinuation(resource);
    // Even without a position, a first list that was cut off may have recorded objects in an earlier epoch.
    if (position === undefined)
      return epoch > 0 && (resource !== 'cronjobs' || cronJobs === true || optional.includes(resource));
    return (position.epoch ?? 0) < epoch;
  };
  return {
    positions: Object.fromEntries(
      RESOURCES.flatMap((resource) => {
        const { position } = findContinuation(resource);
        return position === undefined || isRestored(resource) ? [] : [[resource, position]];
      }),
    ),
    isRestored,
    hasEarlierEpochs: (resource) =>
      isRestored(resource) || (epoch > 0 && !findContinuation(resource).isComplete),
    isWider: (resource) => !findContinuation(resource).isComplete,
    isOtherClaim: !hadValue('pods', claim),
    news: [
      ...(holds.cronjobs && !hadValue('cronjobs', true) ? ['CronJobs'] : []),
      ...(hadValue('chains', claim) ? [] : ['the Jobs that a Job waits for']),
    ],
    copies: SETTINGS.filter((setting) => holds[setting]).flatMap((setting) => {
      const resource = LISTED[setting];
      const [before] = partsBefore(resource);
      // If the resource is listed, the list records the setting.
      if (before === part || !findContinuation(resource).isComplete) return [];
      return [settingRecord(cluster, setting, part, findValue(setting, before) ?? null)];
    }),
    dropped: SETTINGS.filter((setting) => {
      const before = partsBefore(LISTED[setting]).map((of) => findValue(setting, of) ?? null);
      return !holds[setting] && before.some((value) => value !== null);
    }).map((setting) => settingRecord(cluster, setting, part, null)),
  };
}

/** The record of the live topic for the setting under which the objects of a part are recorded. */
export function settingRecord(cluster: string, setting: Setting, part: Part, value: unknown): LiveRecord {
  return { cluster, kind: 'claim', key: watchName(setting, part), value };
}

const SETTINGS: readonly Setting[] = ['pods', 'cronjobs', 'chains'];

/** The resource whose list records the objects under the setting. */
const LISTED: Readonly<Record<Setting, Resource>> = {
  pods: 'pods',
  cronjobs: 'jobs',
  chains: 'jobs',
};
