import type { CronJobFacts } from '../../cron-job/facts.ts';
import type { CompactedCron } from '../../cron-job/observe/compact.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import { canonicalJson } from '../../ledger/digest.ts';
import type { CronJobStatus } from '../../kubernetes/objects.ts';
import type { StartRecord } from '../why-start/start-record.ts';
import { changedSpec } from './changed-spec.ts';
import type { StartChange } from './types.ts';

/** The CronJob in a counterfactual run. */
export interface OwnCronJob {
  /**
   * Takes over a recorded version of the CronJob: its spec with the change, and the changes of other clients to its
   * status.
   */
  observe(recorded: CronJobFacts, fact: CompactedCron): CompactedCron[];
  write(status: CronJobStatus): CronJobFacts;
  /** The value is null while the CronJob has not been observed. */
  read(): CronJobFacts | null;
}

/** Creates the CronJob of a counterfactual run. */
export function createOwnCronJob(
  { effective }: StartRecord,
  change: StartChange,
  nextVersion: () => string,
): OwnCronJob {
  const written = new Set(
    effective.flatMap(({ data }) =>
      data.commands.flatMap((command) => (command.kind === 'WriteStatus' ? [canonicalJson(command.to)] : [])),
    ),
  );
  let seen: CronJobFacts | null = null;
  let epoch = 0;
  let own: CronJobFacts | null = null;
  /** The CronJob with this status and a new version of this run. */
  const withNewVersion = (facts: CronJobFacts, status: CronJobStatus): CronJobFacts => {
    own = { ...facts, status, resourceVersion: nextVersion() };
    return own;
  };
  return {
    observe(recorded, fact) {
      // The API server gives an outcome in its present epoch.
      const at = fact.type === 'cronjob.observed' ? (fact.epoch ?? 0) : epoch;
      const isOlder = seen !== null && compareVersions(recorded.resourceVersion, seen.resourceVersion) <= 0;
      if (at < epoch || (at === epoch && isOlder)) return [];
      epoch = at;
      const status =
        own === null || seen === null
          ? recorded.status
          : written.has(canonicalJson(recorded.status))
            ? own.status
            : withForeignChange(own.status, seen.status, recorded.status);
      seen = recorded;
      const cronJob = withNewVersion({ ...recorded, spec: changedSpec(recorded.spec, change) }, status);
      const { id, digest } = fact;
      return [{ id, digest, type: 'cronjob.observed', cronJob }];
    },
    write(status) {
      if (own === null) throw new Error('a status is written only for a CronJob that was observed');
      return withNewVersion(own, status);
    },
    read: () => (own === null ? null : withNewVersion(own, own.status)),
  };
}

/** The status of this run, with the changes that another client made between one recorded status and the next. */
function withForeignChange(own: CronJobStatus, from: CronJobStatus, to: CronJobStatus): CronJobStatus {
  const [before, after] = [from, to].map(({ active }) => new Set(active?.map(({ uid }) => uid)));
  const kept = (own.active ?? []).filter(({ uid }) => before?.has(uid) !== true || after?.has(uid) === true);
  const added = (to.active ?? []).filter(
    ({ uid }) => before?.has(uid) !== true && !kept.some((each) => each.uid === uid),
  );
  const active = [...kept, ...added];
  /** The value of a field: the value of this run, or the value that another client has since written. */
  const presentValue = (field: 'lastScheduleTime' | 'lastSuccessfulTime'): string | undefined =>
    from[field] === to[field] ? own[field] : to[field];
  const [lastScheduleTime, lastSuccessfulTime] = [
    presentValue('lastScheduleTime'),
    presentValue('lastSuccessfulTime'),
  ];
  return {
    ...(active.length > 0 && { active }),
    ...(lastScheduleTime !== undefined && { lastScheduleTime }),
    ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }),
  };
}
