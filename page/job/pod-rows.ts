import type { ListedPod } from '../api/rows.ts';
import { podStateAt, type Lane } from './lanes.ts';
import { countWords } from '../words/count-words.ts';

/** A pod as it was at an instant. */
export interface ShownPod {
  pod: ListedPod;
  index: number | null;
  /** 1 for the first pod of an index. */
  attempt: number;
  state: string;
  /** Exit code and reason; a dash before its end. */
  exit: string;
  created: number;
  began: number | null;
  /** Null: it had not ended. */
  ended: number | null;
}

/** The pods that existed by the instant, the latest first. */
export function podRowsAt(lanes: readonly Lane[], rows: readonly ListedPod[], at: number): ShownPod[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  const found = lanes.flatMap(({ pods, index }) =>
    pods.flatMap((lanePod, place): ShownPod[] => {
      const pod = byUid.get(lanePod.uid);
      const state = podStateAt(lanePod, at);
      if (pod === undefined || state === null) return [];
      const hasEnded = lanePod.end !== null && lanePod.end.at <= at;
      const began = lanePod.segments.find(({ kind }) => kind !== 'pending')?.from ?? null;
      return [
        {
          pod,
          created: lanePod.segments[0]?.from ?? 0,
          index,
          attempt: place + 1,
          state,
          exit: hasEnded ? exitOf(pod) : '–',
          began: began !== null && began <= at ? began : null,
          ended: hasEnded ? (lanePod.end?.at ?? null) : null,
        },
      ];
    }),
  );
  return found.toSorted((a, b) => b.created - a.created);
}

function exitOf({ exit_code: code, reason }: ListedPod): string {
  const words = reason === 'Completed' || reason === 'Error' ? null : reason;
  return [code, words].filter((part) => part !== null).join(' ') || '–';
}

/** Why a pod was created, in a person's words. `words`: the decision's own. */
export function whyCreated(words: string | null, attempt: number): string {
  const failures = /the back-off after (\d+) failures? is over/.exec(words ?? '')?.[1];
  if (failures !== undefined) return `the back-off after ${countWords(Number(failures), 'failure')} was over`;
  if (attempt > 1) return 'the attempt before it ended';
  return words === null ? '' : 'its turn had come';
}
