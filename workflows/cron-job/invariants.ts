import type { CronCommand } from './commands.ts';
import type { CronJobState } from './state.ts';
import { type BrokenInvariant, toFindings, unrecordedText } from '../decision/invariants/broken.ts';
import { parseInstant } from '../ledger/instants.ts';
import { unknownStart } from './definitions/unknown-start.ts';
import { presentStatus } from './definitions/present-status.ts';

/** The invariants that commands of a CronJob break. */
export function checkCronJob(state: CronJobState, commands: readonly CronCommand[]): BrokenInvariant[] {
  return [
    ...cronStartTwice(state, commands),
    ...cronStartBesideAnother(state, commands),
    ...cronStartAfterAnUnknownOne(state, commands),
    ...cronUnrecordedUid(state, commands),
    ...cronFallingTime(commands),
  ];
}

/** The times of the last start and of the last success never go back. */
function cronFallingTime(commands: readonly CronCommand[]): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'WriteStatus') return [];
    return (['lastScheduleTime', 'lastSuccessfulTime'] as const).flatMap((field) => {
      const [from, to] = [command.from[field], command.to[field]];
      const goesBack = (parseInstant(to) ?? -Infinity) < (parseInstant(from) ?? -Infinity);
      return goesBack ? [`${field} would go back from ${from} to ${to ?? 'none'}`] : [];
    });
  });
  return toFindings('falling-time', messages);
}

/** No Job starts while it is not known whether an earlier start was carried out (J-9.38). */
function cronStartAfterAnUnknownOne(
  state: CronJobState,
  commands: readonly CronCommand[],
): BrokenInvariant[] {
  const unknown = unknownStart(state);
  if (unknown === null) return [];
  const messages = commands.flatMap((command) =>
    command.kind === 'CreateJob'
      ? [
          `the start of ${command.scheduledAt} would be carried out, and whether that of ${unknown.scheduledAt} was is not known`,
        ]
      : [],
  );
  return toFindings('start-after-an-unknown-one', messages);
}

/**
 * No Job starts beside a running Job, unless `concurrencyPolicy` allows it, or the same decision has replaced the
 * running Job (J-9.36, J-9.37).
 */
function cronStartBesideAnother(state: CronJobState, commands: readonly CronCommand[]): BrokenInvariant[] {
  const { cronJob } = state;
  const { concurrencyPolicy = 'Allow' } = cronJob?.spec ?? {};
  if (cronJob === null || concurrencyPolicy === 'Allow') return [];
  const replaced = new Set<string>();
  const messages = commands.flatMap((command) => {
    if (command.kind === 'ReplaceJobs') for (const { uid } of command.jobs) replaced.add(uid);
    if (command.kind !== 'CreateJob') return [];
    const { active = [] } = presentStatus(state, cronJob);
    const beside = active.filter(({ uid }) => concurrencyPolicy === 'Forbid' || !replaced.has(uid));
    if (beside.length === 0) return [];
    const names = beside.map(({ name }) => name).join(', ');
    return [`the start of ${command.scheduledAt} would run beside ${names} (${concurrencyPolicy})`];
  });
  return toFindings('start-beside-another', messages);
}

/** Each start is later than the last known start (J-9.40). */
function cronStartTwice(state: CronJobState, commands: readonly CronCommand[]): BrokenInvariant[] {
  const { cronJob } = state;
  let last = cronJob === null ? undefined : presentStatus(state, cronJob).lastScheduleTime;
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'CreateJob') return [];
    const { scheduledAt } = command;
    const before = last;
    last = scheduledAt;
    if ((parseInstant(scheduledAt) ?? 0) > (parseInstant(before) ?? -Infinity)) return [];
    return [`the start of ${scheduledAt} would be carried out, and that of ${before} was`];
  });
  return toFindings('start-twice', messages);
}

/** A command about a Job names a Job that the stream has recorded, or that the status lists. */
function cronUnrecordedUid(
  { children, started, cronJob }: CronJobState,
  commands: readonly CronCommand[],
): BrokenInvariant[] {
  const listed = new Set([...started, ...(cronJob?.status.active ?? [])].map(({ uid }) => uid));
  const messages = commands.flatMap((command) => {
    if (!('jobs' in command)) return [];
    const unknown = command.jobs.filter(({ uid }) => children[uid] === undefined && !listed.has(uid));
    return unrecordedText(`${command.kind} names the Job`, unknown);
  });
  return toFindings('unrecorded-uid', messages);
}
