import type { ListedPod } from '../../api/rows.ts';
import type { LifePod } from '../life/job-life.ts';
import { podStateAt, type Lane, type LanePod } from './lanes.ts';
import { countText } from '../../components/count-text.ts';

/** A pod as it was at an instant. */
export interface ShownPod {
  pod: LifePod;
  index: number | null;
  /** The number of the attempt; 1 for the first pod of an index. */
  attempt: number;
  state: string;
  /** The exit code and the reason; a dash before the end of the pod. */
  exit: string;
  began: number | null;
  /** The end of the pod; null if the pod had not ended. */
  ended: number | null;
}

/** A pod of a lane, with its row from the API. */
interface OrderedPod {
  pod: LifePod;
  lanePod: LanePod;
  index: number | null;
  attempt: number;
  created: number;
}

/** The pods of all lanes, the latest first. */
export function podsInOrder(lanes: readonly Lane[], rows: readonly LifePod[]): OrderedPod[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  const found = lanes.flatMap(({ pods, index }) =>
    pods.flatMap((lanePod, place): OrderedPod[] => {
      const pod = byUid.get(lanePod.uid);
      if (pod === undefined) return [];
      return [{ pod, lanePod, index, attempt: place + 1, created: lanePod.segments[0]?.from ?? 0 }];
    }),
  );
  return found.toSorted((a, b) => b.created - a.created);
}

/** The number of pods that were created by the instant, and the first `most` of them with their states at this instant. */
export function podRowsAt(
  pods: readonly OrderedPod[],
  at: number,
  most: number,
): { count: number; rows: ShownPod[] } {
  const rows: ShownPod[] = [];
  let count = 0;
  for (const ordered of pods) {
    const state = podStateAt(ordered.lanePod, at);
    if (state === null) continue;
    count += 1;
    if (count <= most) rows.push(shownPod(ordered, state, at));
  }
  return { count, rows };
}

/** The row of a pod as of an instant. */
function shownPod(
  { pod, lanePod: { segments, end }, index, attempt }: OrderedPod,
  state: string,
  at: number,
): ShownPod {
  const hasEnded = end !== null && end.at <= at;
  const began = segments.find(({ kind }) => kind !== 'pending')?.from ?? null;
  return {
    pod,
    index,
    attempt,
    state,
    exit: hasEnded ? exitText(pod) : '–',
    began: began !== null && began <= at ? began : null,
    ended: hasEnded ? end.at : null,
  };
}

/** The exit code of a pod and the reason of its end; a dash without either. */
function exitText({ exit_code: code, reason }: ListedPod): string {
  const message = reason === 'Completed' || reason === 'Error' ? null : reason;
  return [code, message].filter((part) => part !== null).join(' ') || '–';
}

/** The reason why a pod was created, as text for the page. `message` is the message of the decision. */
export function creationMessage(message: string | null, attempt: number): string {
  const failures = /the back-off after (\d+) failures? is over/.exec(message ?? '')?.[1];
  if (failures !== undefined) return `the back-off after ${countText(Number(failures), 'failure')} had ended`;
  if (attempt > 1) return 'the previous attempt had ended';
  return message === null ? '' : 'the Job needed another pod';
}
