import { describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMarks, type MarkAfter, type Marks } from '../../services/dispatcher/runs/marks.ts';
import { recallOutOfStep } from '../../services/dispatcher/runs/recall-out-of-step.ts';

/** A store in memory, and its content. */
function aStore<M>(): {
  content: Map<number, M>;
  read: (partition: number) => Promise<M | null>;
  write: (partition: number, mark: M) => Promise<void>;
} {
  const content = new Map<number, M>();
  return {
    content,
    read: (partition) => Promise.resolve(content.get(partition) ?? null),
    write: (partition, mark) => Promise.resolve(void content.set(partition, mark)),
  };
}

function theMarks(settle = (): Promise<void> => Promise.resolve()): {
  marks: Marks;
  temporal: Map<number, MarkAfter>;
  kafka: Map<number, number>;
  kafkaIs: (state: 'up' | 'down') => void;
} {
  const [temporal, kafka] = [aStore<MarkAfter>(), aStore<number>()];
  let isDown = false;
  const write = (partition: number, mark: number): Promise<void> =>
    isDown ? Promise.reject(new Error('Kafka did not accept records')) : kafka.write(partition, mark);
  let time = 100;
  const marks = createMarks({
    temporal,
    kafka: { ...kafka, write, forget: () => undefined },
    now: () => (time += 1),
    settle,
  });
  const kafkaIs = (state: 'up' | 'down'): void => {
    isDown = state === 'down';
  };
  return { marks, temporal: temporal.content, kafka: kafka.content, kafkaIs };
}

describe('the heartbeat numbers of the dispatcher in Temporal and Kafka', () => {
  it('are equal and grow, also with a clock that is behind', async () => {
    const { marks, temporal, kafka } = theMarks();
    expect(await marks.renew([0, 1])).toEqual([]);
    const first = Math.max(...kafka.values());
    kafka.set(0, 5000);
    temporal.set(0, { mark: 5000 });
    expect(await marks.renew([0, 1])).toEqual([]);
    expect([...kafka.values()]).toEqual([...temporal.values()].map(({ mark }) => mark));
    expect(kafka.get(0)).toBe(5001);
    expect(kafka.get(1)).toBeGreaterThan(first);
    expect(await marks.outOfStep([0, 1])).toEqual([]);
  });

  it.each([
    ['an old copy', 1],
    ['no heartbeat numbers', null],
  ])(
    'reveal a Temporal with %s, and are not renewed before the dispatcher has read its Jobs again',
    async (_what, found) => {
      const { marks, temporal, kafka } = theMarks();
      await marks.renew([0, 1]);
      if (found === null) temporal.delete(1);
      else temporal.set(1, { mark: found });
      const before = kafka.get(1);
      expect(await marks.outOfStep([0, 1])).toEqual([1]);
      expect(await marks.renew([0, 1])).toEqual([1]);
      expect(kafka.get(1)).toBe(before);
      await marks.restart([1]);
      expect(await marks.outOfStep([0, 1])).toEqual([]);
    },
  );

  it('reveal a Kafka that was restored from an old copy', async () => {
    const { marks, temporal } = theMarks();
    await marks.renew([0, 1]);
    temporal.set(0, { mark: 9000 });
    expect(await marks.outOfStep([0, 1])).toEqual([0]);
  });

  it('reveal no difference while another dispatcher writes them', async () => {
    const { marks, temporal, kafka } = theMarks(() => Promise.resolve(void kafka.set(0, 9000)));
    await marks.renew([0]);
    temporal.set(0, { mark: 9000 });
    expect(await marks.outOfStep([0])).toEqual([]);
  });

  it('reveal no difference after a write that Kafka did not accept and that is repeated', async () => {
    const { marks, temporal, kafka, kafkaIs } = theMarks();
    await marks.renew([0, 1]);
    kafkaIs('down');
    await expect(marks.renew([0, 1])).rejects.toThrow('Kafka did not accept records');
    await expect(marks.renew([0, 1])).rejects.toThrow('Kafka did not accept records');
    kafkaIs('up');
    expect(await marks.outOfStep([0, 1])).toEqual([]);
    expect([...kafka.values()]).toEqual([...temporal.values()].map(({ mark }) => mark));
    expect(await marks.renew([0, 1])).toEqual([]);
  });

  it('reveal a Kafka that lacks more than the last heartbeat number', async () => {
    const { marks, kafka } = theMarks();
    await marks.renew([0]);
    const old = kafka.get(0) ?? 0;
    await marks.renew([0]);
    await marks.renew([0]);
    kafka.set(0, old);
    expect(await marks.outOfStep([0])).toEqual([0]);
  });

  it('reveal no difference before the first heartbeat number is written', async () => {
    expect(await theMarks().marks.outOfStep([0, 1])).toEqual([]);
  });
});

describe('a Temporal that was restored from an old copy', () => {
  it('causes replacements for the runs of the affected partitions, and only once', async () => {
    const { marks, temporal } = theMarks();
    await marks.renew([0, 1]);
    temporal.set(1, { mark: 1 });
    const restarted: string[] = [];
    const dependencies = {
      marks,
      partitions: () => [0, 1],
      begunAnew: () => [],
      choosePartition: (key: string) => (key.startsWith('east') ? 1 : 0),
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

describe('partitions that began without a committed offset', () => {
  it('get replacements for their runs once, while the runs of other partitions continue and the heartbeat numbers stay', async () => {
    const { marks, temporal } = theMarks();
    await marks.renew([0, 1]);
    const before = temporal.get(1);
    const restarted: string[] = [];
    const assignment = { partition: 1, isRecallDue: true };
    const dependencies = {
      marks,
      partitions: () => [0, 1],
      begunAnew: () => [assignment].filter(({ isRecallDue }) => isRecallDue),
      choosePartition: (key: string) => (key.startsWith('east') ? 1 : 0),
      async *running() {
        for (const id of ['east/a', 'west/a']) yield Promise.resolve({ id });
      },
      restart: ({ id }: { id: string }) => Promise.resolve(void restarted.push(id)),
      log: silentLog(),
    };
    await recallOutOfStep(dependencies);
    expect([restarted, assignment.isRecallDue]).toEqual([['east/a'], false]);
    await recallOutOfStep(dependencies);
    expect(restarted).toHaveLength(1);
    expect(temporal.get(1)).toBe(before);
  });
});
