import { compareVersions } from '../../../workflows/job/definitions/resource-version.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { OlderAnswer } from '../../contracts/older-answer.ts';

/** The objects whose statuses a controller wrote last. */
export interface LastWritten {
  /** Events of a stream must come in order. */
  note(event: LedgerEvent): void;
  /** The objects with the highest versions, at most `LATEST`. */
  all(): OlderAnswer[];
}

const LATEST = 5;

/**
 * Collects the objects in the outcomes of writes that were decided in `epoch`. A watch may not have shown them yet, so
 * only these versions show that an API server was restored from a copy without them.
 */
export function createLastWritten(epoch: number): LastWritten {
  /** The commands of a decision that write a status in the epoch, by the decision. */
  const writes = new Map<string, ReadonlySet<number>>();
  const latest = new Map<string, OlderAnswer>();
  return {
    note({ id, data }) {
      if ('commands' in data) {
        const commands: readonly { kind: string; epoch?: number }[] = data.commands;
        const found = commands.flatMap(({ kind, epoch: of = 0 }, at) =>
          kind === 'WriteStatus' && of === epoch ? [at] : [],
        );
        if (found.length > 0) writes.set(id, new Set(found));
        return;
      }
      if (!('outcome' in data) || writes.get(data.decision)?.has(data.command) !== true) return;
      const object = writtenObject(data.outcome);
      if (object === null) return;
      const { resourceVersion } = latest.get(object.uid) ?? object;
      if (compareVersions(resourceVersion, object.resourceVersion) > 0) return;
      latest.set(object.uid, { ...object, epoch });
      if (latest.size > LATEST) latest.delete(oldest(latest));
    },
    all: () => [...latest.values()],
  };
}

function writtenObject(outcome: object): Omit<OlderAnswer, 'epoch'> | null {
  const { job, cronJob } = outcome as { job?: Shown; cronJob?: Shown };
  const shown = job ?? cronJob;
  if (shown === undefined) return null;
  const { namespace, name, uid, resourceVersion } = shown;
  return { resource: job === undefined ? 'cronjobs' : 'jobs', namespace, name, uid, resourceVersion };
}

type Shown = Omit<OlderAnswer, 'epoch' | 'resource'>;

function oldest(objects: ReadonlyMap<string, OlderAnswer>): string {
  const byVersion = [...objects.values()].toSorted((a, b) =>
    compareVersions(a.resourceVersion, b.resourceVersion),
  );
  return byVersion[0]?.uid ?? '';
}
