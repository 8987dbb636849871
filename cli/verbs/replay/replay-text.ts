import { printableLine } from '../../../services/adapters/printable.ts';
import {
  isPlacedJobReplay,
  type CronJobFollowed,
  type CronJobReplay,
  type Followed,
  type PlacedJobFollowed,
  type PlacedJobReplay,
  type Replay,
} from '../../../workflows/history/replay/replay-to.ts';
import { placementCommandLine } from '../../../workflows/history/timeline/placement-command-text.ts';
import type { StateAt } from '../../../workflows/history/replay/replay-stream.ts';
import { cronCommandLine } from '../../../workflows/history/timeline/cron-command-text.ts';
import type { ReplayStep } from '../../../workflows/history/replay/replay-steps.ts';
import type { JsonChange } from '../../../workflows/history/json-changes.ts';
import { commandLine } from '../../../workflows/history/timeline/command-text.ts';
import { isoTime } from '../../../workflows/ledger/instants.ts';
import { podRef } from '../../../workflows/job/definitions/pod-refs.ts';
import type { JobState, PodState } from '../../../workflows/job/state.ts';
import type { PlacementState } from '../../../workflows/placement/state.ts';
import { fields, indented, table } from '../../print/table.ts';
import { lineText } from '../history/time-line.ts';

/** The largest number of characters shown of a value; `-o json` prints the full value. */
const WIDTH = 160;

/** The state of a Job or a placed Job at a point, and the next decision. */
export function jobReplayText(replay: Replay | PlacedJobReplay): string {
  return isPlacedJobReplay(replay) ? placedJobReplayText(replay) : replayText(replay);
}

/** The state of a Job at a point, and the next decision. */
function replayText(replay: Replay): string {
  const { state, followed, different } = replay;
  return [
    ...headLines(replay),
    section('Status', fieldsText({ ...state.job?.status })),
    section('Pods', podTable(state)),
    section('Memory', fieldsText(otherFields(state))),
    section('Then', followed === null ? null : followedText(followed, followed.commands.map(commandLine))),
    ...different.map(({ event, message }) => printableLine(`${event}: ${message}`)),
  ].join('\n');
}

/** The state of a placed Job at a point, and the next decision. */
function placedJobReplayText(replay: PlacedJobReplay): string {
  const { state, followed, different } = replay;
  const { job, grants, folded, pending: _pending, last: _last, waiting, ...rest } = state;
  const memory = { waiting: waiting?.message, ...rest, toBeDecidedUpon: folded.length };
  return [
    ...headLines(replay),
    section('Status', fieldsText({ ...job?.status })),
    section('Clusters', grants.length === 0 ? null : grantTable(grants)),
    section('Memory', fieldsText(memory)),
    section(
      'Then',
      followed === null ? null : followedText(followed, followed.commands.map(placementCommandLine)),
    ),
    ...different.map(({ event, message }) => printableLine(`${event}: ${message}`)),
  ].join('\n');
}

/** A table of the grants of a placed Job, the latest last. */
function grantTable(grants: PlacementState['grants']): string {
  return table(
    ['CLUSTER', 'MEMBER', 'SINCE', 'INDEXES', 'ACTIVE', 'SUCCEEDED', 'FAILED', 'IS'],
    grants.map(({ cluster, name, since, part, member, refused, stopping, ended }) => [
      cluster,
      name,
      isoTime(since),
      part?.indexes ?? '',
      ...[member?.status.active, member?.status.succeeded, member?.status.failed].map((count) =>
        String(count ?? 0),
      ),
      [
        ...(member === null ? ['unconfirmed'] : []),
        ...(refused === undefined ? [] : [`refused: ${refused}`]),
        ...(stopping === undefined ? [] : [`to be stopped: ${stopping}`]),
        ...(ended === undefined ? [] : [`ended at ${isoTime(ended.at)}: ${ended.reason}`]),
      ].join(', '),
    ]),
  );
}

/** The state of a CronJob at a point, and the next decision. */
export function cronJobReplayText(replay: CronJobReplay): string {
  const { state, followed, different } = replay;
  const { cronJob, folded, pending: _pending, last: _last, waiting, ...rest } = state;
  const memory = { waiting: waiting?.message, ...rest, toBeDecidedUpon: folded.length };
  return [
    ...headLines(replay),
    section('Spec', fieldsText({ ...cronJob?.spec })),
    section('Status', fieldsText({ ...cronJob?.status })),
    section('Memory', fieldsText(memory)),
    section(
      'Then',
      followed === null ? null : followedText(followed, followed.commands.map(cronCommandLine)),
    ),
    ...different.map(({ event, message }) => printableLine(`${event}: ${message}`)),
  ].join('\n');
}

/** The number of folded events, and the last event. */
function headLines(replay: StateAt<unknown>): string[] {
  const { eventCount, decisionCount, at, core, event } = replay;
  return [
    `the state after ${eventCount} events, ${decisionCount} decisions among them, computed by core ${core}; the last event was recorded at ${at}:`,
    `  ${event}`,
  ];
}

/** One folded event, with its changes. */
export function stepText(step: ReplayStep): string {
  const changes = step.changes.map(changeText);
  return lineText({ ...step, below: [...(step.below ?? []), ...changes] });
}

/** A changed value of the state, with its path. */
function changeText({ path, from, to }: JsonChange): string {
  return `  ${path.join('.')}: ${from === undefined ? '' : `${valueText(from)} → `}${valueText(to)}`;
}

/** The decision that followed, with its commands, its wait and the status that it wrote. */
function followedText(
  { number, at, waiting, status }: Followed | PlacedJobFollowed | CronJobFollowed,
  commands: string[],
): string {
  return [
    `decision ${number} at ${at}`,
    ...commands.map(printableLine),
    ...(waiting === null ? [] : [printableLine(`waits: ${waiting.message} [${waiting.rule}]`)]),
    ...(status === null ? [] : ['status then:', indented(fieldsText({ ...status }) ?? '')]),
  ].join('\n');
}

/** The fields of the core's state, except the Job and the pods. */
function otherFields(state: JobState): Record<string, unknown> {
  const { job: _job, pods: _pods, folded, pending: _pending, last: _last, waiting, ...rest } = state;
  return { waiting: waiting?.message, ...rest, toBeDecidedUpon: folded.length };
}

/** A table of the pods in the core's state; null without pods. */
function podTable({ job, pods }: JobState): string | null {
  const held = Object.entries(pods);
  if (held.length === 0) return null;
  return table(
    ['NAME', 'INDEX', 'PHASE', 'READY', 'IS'],
    held.map(([uid, pod]) => [
      podRef(job, uid, pod).name,
      pod.index === undefined ? '' : String(pod.index),
      pod.phase ?? 'Running',
      pod.ready === undefined ? '' : 'yes',
      podMarks(pod).join(', '),
    ]),
  );
}

/** The marks of a pod in the core's state, such as `counted`. */
function podMarks(pod: PodState): string[] {
  return [
    ...(pod.unseen === true || pod.readAt !== undefined ? ['not observed yet'] : []),
    ...(pod.deleting === true ? ['being deleted'] : []),
    ...(pod.untracked === true ? ['released'] : []),
    ...(pod.counted === true ? ['counted'] : []),
    ...(pod.gone === true ? ['gone'] : []),
    ...(pod.claim === undefined ? [] : [`to ${pod.claim}`]),
  ];
}

/** The non-empty values of an object, one per line; null if there are none. */
function fieldsText(values: Record<string, unknown>): string | null {
  const shown = Object.entries(values).filter(([, value]) => !isEmpty(value));
  return shown.length === 0 ? null : fields(shown.map(([name, value]) => [name, valueText(value)]));
}

/** A value as text, cut to the largest shown length. */
function valueText(value: unknown): string {
  const text = value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text;
}

/** A section with a title; without content, the section says `nothing`. */
function section(title: string, content: string | null): string {
  return `\n${title}:${content === null ? ' nothing' : `\n${indented(content)}`}`;
}

/** True when a value is absent, zero, false, '', or consists only of such values. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === 0 || value === '' || value === false;
}
