import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { whyText } from '../../cli/verbs/why/why-text.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { necessaryFacts } from '../../workflows/history/why/necessary.ts';
import type { Question, Why } from '../../workflows/history/why/types.ts';
import { why } from '../../workflows/history/why/why.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { goldenAnswers } from './golden-answers.ts';
import { aRecording } from './a-recording.ts';
import { aRunJob, failingFirst } from './stories.ts';
import { BY_COMMAND, BY_WAITING, OTHERS, type Situation } from './why-situations.ts';

const { files, golden, recorded } = goldenAnswers('why');
const ALL = [...Object.values(BY_COMMAND), ...Object.values(BY_WAITING), ...OTHERS];

async function answerTo({ events, question }: Situation): Promise<Why> {
  const answer = why(await events(), question);
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

describe('the answer of the verb why about a Job', () => {
  it.each(ALL.map((situation) => [situation.name, situation] as const))(
    'equals the golden file for %s',
    async (name, situation) => {
      const text = `${whyText(await answerTo(situation))}\n`;
      expect(text).toBe(golden(name, text));
    },
  );

  it.each(ALL.map((situation) => [situation.name, situation] as const))(
    'contains, for %s, every cause that it refers to, and lists each effect before its causes',
    async (_name, situation) => {
      const { answers, causes, waits } = await answerTo(situation);
      const place = new Map(causes.map(({ id }, at) => [id, at]));
      expect([...answers, ...waits].length).toBeGreaterThan(0);
      for (const { because } of [...answers, ...waits])
        for (const id of because) expect(place.has(id)).toBe(true);
      for (const { id, because } of causes)
        for (const other of because) expect(place.get(other)).toBeGreaterThan(place.get(id) ?? Infinity);
    },
  );
});

describe('the time that the verb why gives to a cause', () => {
  /** The end of a pod is recorded long after it, as after an outage, and its later changes are recorded then. */
  function endedBefore(recordedAfter: number, finished: number): (readonly [string, string])[] {
    const recording = aRecording();
    recording.job(0, { completions: 1 });
    recording.decides(0);
    recording.pod(1, { ordinal: 0, created: 0 });
    recording.pod(recordedAfter, { ordinal: 0, created: 0, phase: 'Failed', finished });
    recording.decides(recordedAfter);
    const answer = why(recording.events, { about: 'decision', number: 2 });
    if (isRefused(answer)) throw new Error(answer.message);
    return answer.causes.map(({ about, at: time }) => [about, time] as const);
  }

  it.each([
    ['the end of a pod whose end was recorded later', 1800, 5, '2026-03-01T12:00:05.000Z'],
    ['the record of the pod in the same second, which is more exact', 5.2, 5, '2026-03-01T12:00:05.200Z'],
    ['the record of the pod, if the end is before the creation', 1800, -60, '2026-03-01T12:30:00.000Z'],
    ['the record of the pod, if the end is after the record', 1800, 1900, '2026-03-01T12:30:00.000Z'],
  ])('is the best known instant: %s', (_what, recordedAfter, finished, time) => {
    const causes = endedBefore(recordedAfter, finished);
    expect(causes.filter(([about]) => about.startsWith('pod'))).toEqual([['pod pi-l9qk4', time]]);
    expect(causes[0]?.[0]).toBe('decision 2');
  });
});

describe('the golden files of the verb why', () => {
  it.each(Object.entries(BY_COMMAND))('explain the command %s', async (kind, situation) => {
    const { answers, causes } = await answerTo(situation);
    const about = [
      ...answers.map(({ question: asked }) => asked),
      ...causes.map(({ message }) => message),
    ].join('\n');
    expect(about).toMatch(new RegExp(`\\b${kind}\\b`));
  });

  it.each(Object.entries(BY_WAITING))('explain waiting by the rule %s', async (key, situation) => {
    const { answers, causes, waits } = await answerTo(situation);
    const [rule] = key.split(' ');
    const rules = [...causes, ...waits].map((each) => each.rule);
    expect(rules).toContain(rule);
    expect([...answers, ...waits].some(({ message }) => message.length > 0)).toBe(true);
  });

  it('name every rule that the core gives for a command or for waiting', () => {
    const folder = join(process.cwd(), 'workflows/job');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && file !== 'rule.ts')
      .map((file) => readFileSync(join(folder, file), 'utf8'));
    const given = new Set(
      sources.flatMap((text) => [...text.matchAll(/'(J-\d+\.\d+)'/g)].map(([, rule = '']) => rule)),
    );
    expect(given.size).toBeGreaterThan(25);
    const texts = ALL.map(({ name }) => recorded(name)).join('\n');
    expect([...given].filter((rule) => !texts.includes(`[${rule}]`))).toEqual([]);
  });

  it('each belong to a test situation', () => {
    const names = new Set(ALL.map(({ name }) => `${name}.txt`));
    expect(names.size).toBe(ALL.length);
    expect(readdirSync(files).toSorted()).toEqual([...names].toSorted());
  });

  it('explain every kind of command that the decisions of their situations contain', async () => {
    const streams = await Promise.all(ALL.map(({ events }) => events()));
    const kinds = new Set<Command['kind']>(
      streams
        .flat()
        .flatMap((event) =>
          event.type === 'job.decided' ? event.data.commands.map(({ kind }) => kind) : [],
        ),
    );
    expect([...kinds].toSorted()).toEqual(Object.keys(BY_COMMAND).toSorted());
  });
});

describe('the search for the facts on which a result depends', () => {
  const atLeast = (count: number) => (facts: readonly number[]) =>
    facts.filter((fact) => fact > 0).length >= count;

  it.each<[string, number[], number, unknown]>([
    ['the first fact that was enough', [0, 1, 0, 1], 1, [1]],
    ['all facts that were necessary', [1, 0, 1, 0, 1], 2, [1, 1]],
    ['no fact when the result never depended on one', [1, 1], 0, 'always'],
    ['no set of facts when all of them do not suffice', [0, 1], 2, null],
  ])('finds %s', (_what, facts, count, found) => {
    expect(necessaryFacts(facts, atLeast(count))).toEqual(found);
  });
});

describe('a question to the verb why', () => {
  let stream: JobEvent[];

  beforeAll(async () => {
    stream = await aRunJob({ completions: 1 }, failingFirst(1));
  });

  it.each<[string, Question, RegExp]>([
    ['a pod that never was', { about: 'pod', pod: 'pi-nobody' }, /never had a pod "pi-nobody"; it had pi-/],
    [
      'a decision that never was',
      { about: 'decision', number: 99 },
      /no decision 99: its decisions go from 1 to \d+$/,
    ],
  ])('is refused when it is about an unknown object: %s', (_what, question, message) => {
    expect(why(stream, question)).toEqual({ refused: 'unknown', message: expect.stringMatching(message) });
  });

  it('is refused when the stream is broken, and the error names the missing predecessor', () => {
    const second = stream.filter(({ type }) => type === 'job.decided')[1];
    expect(
      why(
        stream.filter((event) => event !== second),
        { about: 'job' },
      ),
    ).toEqual({
      refused: 'broken',
      message: expect.stringContaining(`the stream is broken at ${second?.id}: missing`),
    });
  });

  it('is refused when the Job has no events', () => {
    expect(why([], { about: 'job' })).toMatchObject({ refused: 'unknown' });
  });
});
