import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CRON_JOB_CORES, JOB_CORES, PLACEMENT_CORES, type Core } from '../../workflows/cores/cores.ts';
import { digestOf } from '../../workflows/job/definitions/digest.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import { randomStreams } from '../support/random-streams.ts';
import { firstDifference } from './core-differences.ts';

const FOLDER = 'cores';
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));

/** Released cores, and the present one. Ledgers may hold decisions made by them, so their files never change again. */
const LANDED = {
  'core-1.js': '447b19760a3956d4',
  'core-2.js': '7b0c5c00f6201fa2',
  'core-3.js': '788f6a98d31985a5',
  'core-4.js': 'f5cc5b820bc0be65',
  'core-5.js': 'bf26b3b9227158d8',
  'core-6.js': '9ccc9591872f8372',
  'core-7.js': '5635e806f234e078',
  'core-8.js': 'fbbee09b611a6898',
  'cron-core-1.js': '4f738b3ad33718fd',
  'cron-core-2.js': 'ffd004b2c1effa58',
  'placement-core-1.js': '4dffd78357339bc5',
  'placement-core-2.js': 'd69ae2b5cc31697a',
  'placement-core-3.js': '001c09c980e4e19e',
};

const SEEDS = Array.from({ length: 300 }, (_none, seed) => seed);
/** An id contains digests of the whole record, so equal ids mean equal bytes. */
async function idsBy(core: Core): Promise<string[]> {
  const ids: string[] = [];
  for (const seed of SEEDS) {
    const [stream = []] = await randomStreams(1, seed, core);
    ids.push(stream.map(({ id }) => id).join());
  }
  return ids;
}

let present: string[];

beforeAll(async () => {
  present = await idsBy(JOB_CORES.present);
}, 120_000);

async function differingBy(core: Core): Promise<number[]> {
  const ids = await idsBy(core);
  return SEEDS.filter((seed) => ids[seed] !== present[seed]);
}

describe('the frozen cores', () => {
  it('are the released ones, unchanged', () => {
    const digests = Object.fromEntries(
      files.map((name) => [name, digestOf(readFileSync(join(FOLDER, name), 'utf8'))]),
    );
    expect(digests).toEqual(LANDED);
  });

  it('can all be loaded by the version that decisions name', () => {
    expect(new Set(files)).toEqual(
      new Set([
        ...JOB_CORES.all.map(({ CORE_VERSION }) => `core-${CORE_VERSION}.js`),
        ...CRON_JOB_CORES.all.map(({ CORE_VERSION }) => `cron-core-${CORE_VERSION}.js`),
        ...PLACEMENT_CORES.all.map(({ CORE_VERSION }) => `placement-core-${CORE_VERSION}.js`),
      ]),
    );
    for (const core of JOB_CORES.all) expect(JOB_CORES.of(core.CORE_VERSION)).toBe(core);
  });
});

describe('the present core, as frozen', () => {
  it('decides every generated stream to the same byte; if not, raise CORE_VERSION and freeze the new one', async () => {
    expect(await differingBy(await frozenTwin())).toStrictEqual([]);
  }, 120_000);

  it('would be reported for a single changed word in a rule', async () => {
    const changed: Core = {
      ...JOB_CORES.present,
      decide(state, now, settings) {
        const verdict = JOB_CORES.present.decide(state, now, settings);
        const commands = verdict.commands.map((command) =>
          command.why.rule === 'J-6.20' ? { ...command, why: { ...command.why, words: 'changed' } } : command,
        );
        return { ...verdict, commands };
      },
    };
    expect((await differingBy(changed)).length).toBeGreaterThan(0);
  }, 120_000);
});

/** Each limit is reached, and each controller replaced, under one of them. */
const SETTINGS: readonly Settings[] = [
  { ...DEFAULT_SETTINGS, gangScheduling: 'served' },
  { ...DEFAULT_SETTINGS, controllers: ['job', 'ttl'], maxPodsPerSync: 2, maxUncountedPods: 2 },
  { ...DEFAULT_SETTINGS, controllers: ['ttl'], claim: 'all' },
];

/** The requests of a Job; each changes the decisions about some Jobs (core-4.test.ts). */
const ANNOTATIONS = {
  'jobledger.dev/after': 'first,second:Finished',
  'jobledger.dev/backoff-seconds': '1',
  'jobledger.dev/failed-pods-limit': '0',
  'jobledger.dev/start-and-finish-events': 'true',
};

function annotated(stream: readonly JobEvent[]): JobEvent[] {
  return stream.map((event) => {
    if (event.type !== 'job.observed') return event;
    const { object } = event.data;
    const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...ANNOTATIONS } };
    return { ...event, data: { ...event.data, object: { ...object, metadata } } };
  });
}

describe('the present core, event by event', () => {
  it('has the states and verdicts of its frozen twin in every generated stream', async () => {
    const twin = await frozenTwin();
    const differences: unknown[] = [];
    for (const seed of SEEDS) {
      const [stream = []] = await randomStreams(1, seed);
      for (const each of [stream, annotated(stream)])
        differences.push(firstDifference(each, SETTINGS, [JOB_CORES.present, twin]) ?? []);
    }
    expect(differences.flat()).toStrictEqual([]);
  }, 240_000);

  it('would be reported for a wait that nobody records, and for the order of two fields', async () => {
    const [stream = []] = await randomStreams(1, 1);
    const core = JOB_CORES.present;
    const waiting: Core = {
      ...core,
      decide: (state, now, settings) => ({ ...core.decide(state, now, settings), lookAgainAt: 1 }),
    };
    const ordered: Core = {
      ...core,
      fold: (state, events) => {
        const { job, ...rest } = core.fold(state, events);
        return { ...rest, job };
      },
    };
    expect(firstDifference(stream, SETTINGS, [core, waiting])).toMatchObject({
      of: 'decision after 0 ms',
    });
    expect(firstDifference(stream, SETTINGS, [core, ordered])).toMatchObject({ of: 'state' });
  });
});

async function frozenTwin(): Promise<Core> {
  return (await import(`../../cores/core-${JOB_CORES.present.CORE_VERSION}.js`)) as Core;
}
