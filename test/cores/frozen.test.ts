import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CRON_JOB_CORES, JOB_CORES, PLACEMENT_CORES, type Core } from '../../workflows/cores/cores.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import { randomStreams } from '../support/random-streams.ts';
import { firstDifference } from './core-differences.ts';
import { frozenTwin } from './frozen-twin.ts';
import { extent } from '../support/extent.ts';

const FOLDER = 'workflows/cores/released';
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.js')) : [];

/** The digests of released cores. Ledgers may hold decisions made by them, so their files never change again. */
const RELEASED: Record<string, string> = {};

const KINDS = [
  { kind: 'Jobs', prefix: 'core', cores: JOB_CORES },
  { kind: 'CronJobs', prefix: 'cron-core', cores: CRON_JOB_CORES },
  { kind: 'placed Jobs', prefix: 'placement-core', cores: PLACEMENT_CORES },
];

const SEEDS = Array.from({ length: extent(100, 300) }, (_none, seed) => seed);
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
let twin: Core;

beforeAll(async () => {
  present = await idsBy(JOB_CORES.present);
  twin = await frozenTwin<Core>(`core-${JOB_CORES.present.CORE_VERSION}.js`);
}, 120_000);

async function differingBy(core: Core): Promise<number[]> {
  const ids = await idsBy(core);
  return SEEDS.filter((seed) => ids[seed] !== present[seed]);
}

describe('the frozen cores', () => {
  it('are the released cores, unchanged', () => {
    const digests = Object.fromEntries(
      files.map((name) => [name, computeDigest(readFileSync(join(FOLDER, name), 'utf8'))]),
    );
    expect(digests).toEqual(RELEASED);
  });

  it.each(KINDS)('of $kind are all older than the present core, or equal to it', ({ prefix, cores }) => {
    const names = cores.all.map(({ CORE_VERSION }) => `${prefix}-${CORE_VERSION}.js`);
    const frozen = files.filter((name) => name.startsWith(`${prefix}-`));
    expect(names).toEqual(names.map((_name, at) => `${prefix}-${at + 1}.js`));
    expect([names, names.slice(0, -1)]).toContainEqual(frozen.toSorted(byNumber));
    for (const core of cores.all) expect(cores.ofVersion(core.CORE_VERSION)).toBe(core);
  });
});

function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

describe('the command npm run freeze-core', () => {
  it('changes nothing, and succeeds, when all present cores are frozen', () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-cores-'));
    const freeze = (): string =>
      execFileSync(process.execPath, ['infra/freeze-core.ts', '--into', folder], { encoding: 'utf8' });
    try {
      expect(freeze().match(/core-\d+\.js$/gm)).toHaveLength(KINDS.length);
      expect(freeze()).toMatch(/are already frozen/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});

describe('the frozen copy of the present core of Jobs', () => {
  // When this test fails, raise CORE_VERSION and freeze the new core.
  it('makes byte for byte the same decisions on every generated stream as the source of the core', async () => {
    expect(await differingBy(twin)).toStrictEqual([]);
  }, 120_000);

  it('is reported as different after the change of a single word in a rule', async () => {
    const changed: Core = {
      ...JOB_CORES.present,
      decide(state, now, settings) {
        const verdict = JOB_CORES.present.decide(state, now, settings);
        const commands = verdict.commands.map((command) =>
          command.why.rule === 'J-6.5'
            ? { ...command, why: { ...command.why, message: 'changed' } }
            : command,
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

/** Each changes the decisions about some Jobs. */
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

describe('the present core of Jobs after each event', () => {
  it('has the same states and invariant verdicts as its frozen copy in every generated stream', async () => {
    const differences: unknown[] = [];
    for (const seed of SEEDS) {
      const [stream = []] = await randomStreams(1, seed);
      for (const each of [stream, annotated(stream)])
        differences.push(firstDifference(each, SETTINGS, [JOB_CORES.present, twin]) ?? []);
    }
    expect(differences.flat()).toStrictEqual([]);
  }, 240_000);
});

describe('the comparison of two cores after each event', () => {
  it('reports a core that differs only in a wait that no decision records, or only in the order of two fields', async () => {
    const [stream = []] = await randomStreams(1, 1);
    const core = JOB_CORES.present;
    const waiting: Core = {
      ...core,
      decide: (state, now, settings) => ({ ...core.decide(state, now, settings), nextDecisionAt: 1 }),
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
