import { describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/log.ts';
import { createMarks, type MarkStore, type Marks } from '../../services/dispatcher/marks.ts';
import { recallOutOfStep } from '../../services/dispatcher/recall-out-of-step.ts';

/** A store in memory, and its content. */
function aStore(): MarkStore & { content: Map<number, number> } {
  const content = new Map<number, number>();
  return {
    content,
    read: (partition) => Promise.resolve(content.get(partition) ?? null),
    write: (partition, mark) => Promise.resolve(void content.set(partition, mark)),
  };
}

function theMarks(settle = (): Promise<void> => Promise.resolve()): {
  marks: Marks;
  temporal: Map<number, number>;
  kafka: Map<number, number>;
} {
  const [temporal, kafka] = [aStore(), aStore()];
  let time = 100;
  const marks = createMarks({
    temporal,
    kafka: { ...kafka, forget: () => undefined },
    now: () => (time += 1),
    settle,
  });
  return { marks, temporal: temporal.content, kafka: kafka.content };
}

describe('the marks of Temporal and Kafka', () => {
  it('are the same and grow, also by a clock that is behind', async () => {
    const { marks, temporal, kafka } = theMarks();
    expect(await marks.renew([0, 1])).toEqual([]);
    const first = Math.max(...kafka.values());
    kafka.set(0, 5000);
    temporal.set(0, 5000);
    expect(await marks.renew([0, 1])).toEqual([]);
    expect(kafka).toEqual(temporal);
    expect(kafka.get(0)).toBe(5001);
    expect(kafka.get(1)).toBeGreaterThan(first);
    expect(await marks.outOfStep([0, 1])).toEqual([]);
  });

  it.each([
    ['an old copy', 1],
    ['nothing', null],
  ])('show a Temporal with %s, and are not renewed before its Jobs are recalled', async (_what, found) => {
    const { marks, temporal, kafka } = theMarks();
    await marks.renew([0, 1]);
    if (found === null) temporal.delete(1);
    else temporal.set(1, found);
    const before = kafka.get(1);
    expect(await marks.outOfStep([0, 1])).toEqual([1]);
    expect(await marks.renew([0, 1])).toEqual([1]);
    expect(kafka.get(1)).toBe(before);
    await marks.restart([1]);
    expect(await marks.outOfStep([0, 1])).toEqual([]);
  });

  it('show a Kafka with an old copy', async () => {
    const { marks, temporal } = theMarks();
    await marks.renew([0, 1]);
    temporal.set(0, 9000);
    expect(await marks.outOfStep([0, 1])).toEqual([0]);
  });

  it('show nothing while another dispatcher writes them', async () => {
    const { marks, temporal, kafka } = theMarks(() => Promise.resolve(void kafka.set(0, 9000)));
    await marks.renew([0]);
    temporal.set(0, 9000);
    expect(await marks.outOfStep([0])).toEqual([]);
  });

  it('show nothing before there are any', async () => {
    expect(await theMarks().marks.outOfStep([0, 1])).toEqual([]);
  });
});

describe('a Temporal that is older than the ledger', () => {
  it('has its runs replaced, those of the concerned partitions only, and once', async () => {
    const { marks, temporal } = theMarks();
    await marks.renew([0, 1]);
    temporal.set(1, 1);
    const restarted: string[] = [];
    const dependencies = {
      marks,
      partitions: () => [0, 1],
      partitionOf: (key: string) => (key.startsWith('east') ? 1 : 0),
      async *running() {
        for (const id of ['east/a', 'west/a', 'east/b']) yield Promise.resolve({ id });
      },
      restart: ({ id }: { id: string }) => Promise.resolve(void restarted.push(id)),
      log: silentLog(),
    };
    await recallOutOfStep(dependencies);
    expect(restarted).toEqual(['east/a', 'east/b']);
    await recallOutOfStep(dependencies);
    expect(restarted).toHaveLength(2);
  });
});
