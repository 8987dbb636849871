import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { objectInOutcome, type OlderAnswer } from '../../live-topic/older-answer.ts';
import type { LiveSet } from '../live-set/live-set.ts';
import { visitRecordedSince } from '../recovery/recorded-since.ts';

/** The objects whose statuses a controller wrote last. */
export interface LastWritten {
  /** Records an event. The events of a stream must be passed in order. */
  note(event: LedgerEvent): void;
  /** The objects with the highest versions, at most `LATEST`. */
  all(): OlderAnswer[];
}

const LATEST = 5;
/**
 * The time within which every working watch reaches a version, in milliseconds: the API server sends a bookmark each
 * minute. A watch that the API server refuses may be further behind.
 */
const REACHED_WITHIN_MS = 300_000;

/** The objects to collect: the objects that were written in `epoch` and that `concerns` selects. */
export interface WrittenScope {
  cluster: string;
  epoch: number;
  concerns: (answer: OlderAnswer) => boolean;
}

/**
 * Reads the objects that workers wrote last, from the events after `since` (milliseconds); an empty list if `since` is
 * null. @throws UnavailableError.
 */
export async function readLastWritten(
  kafka: KafkaConnection,
  { since, signal, ...scope }: WrittenScope & { since: number | null; signal: AbortSignal },
): Promise<OlderAnswer[]> {
  if (since === null) return [];
  const written = createLastWritten(scope);
  await visitRecordedSince(kafka, { cluster: scope.cluster, since, signal }, written.note);
  return written.all();
}

/**
 * The instant, in milliseconds, after which the watches may not have shown all writes; null without a position in the
 * epoch.
 */
export function unseenWritesSince(positions: LiveSet['positions'], epoch: number): number | null {
  const times = Object.values(positions)
    .filter((position) => position !== undefined && (position.epoch ?? 0) === epoch)
    .map((position) => Date.parse(position?.time ?? ''))
    .filter(Number.isFinite);
  if (times.length === 0) return null;
  return Math.max(Math.min(...times), Math.max(...times) - REACHED_WITHIN_MS);
}

/**
 * Collects the objects in the outcomes of writes that were decided in the epoch. A watch may not have shown these
 * objects yet, so only their versions show that an API server was restored from a copy without these writes.
 */
export function createLastWritten({ epoch, concerns }: Omit<WrittenScope, 'cluster'>): LastWritten {
  /**
   * The index of the command that writes a status in the epoch, by the id of the decision, until the outcome of the
   * command is read.
   */
  const writes = new Map<string, number>();
  const latest = new Map<string, OlderAnswer>();
  return {
    note({ id, data }) {
      if ('commands' in data) {
        const commands: readonly { kind: string; epoch?: number }[] = data.commands;
        const write = commands.findIndex(
          (each) => each.kind === 'WriteStatus' && (each.epoch ?? 0) === epoch,
        );
        if (write !== -1) writes.set(id, write);
        return;
      }
      if (!('outcome' in data) || writes.get(data.decision) !== data.command) return;
      writes.delete(data.decision);
      const shown = objectInOutcome(data.outcome);
      const object = shown === null ? null : { ...shown, epoch };
      if (object === null || !concerns(object)) return;
      const { resourceVersion } = latest.get(object.uid) ?? object;
      if (compareVersions(resourceVersion, object.resourceVersion) > 0) return;
      latest.set(object.uid, object);
      if (latest.size > LATEST) latest.delete(oldestUid(latest));
    },
    all: () => [...latest.values()],
  };
}

function oldestUid(objects: ReadonlyMap<string, OlderAnswer>): string {
  const byVersion = [...objects.values()].toSorted((a, b) =>
    compareVersions(a.resourceVersion, b.resourceVersion),
  );
  return byVersion[0]?.uid ?? '';
}
