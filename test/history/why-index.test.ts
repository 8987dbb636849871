import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { whyText } from '../../cli/verbs/why/why-text.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { membersWithIndex, whyIndex } from '../../workflows/history/why-index/why-index.ts';
import type { Why } from '../../workflows/history/why/types.ts';
import { aRecording } from './a-recording.ts';
import { goldenAnswers } from './golden-answers.ts';
import { SITUATIONS, type IndexSituation } from './why-index-situations.ts';

const { files, golden, recorded } = goldenAnswers('why-index');

function answerTo({ events, index, members }: IndexSituation): Why {
  const answer = whyIndex(events, index, members);
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

const named = (name: string): IndexSituation => {
  const found = SITUATIONS.find((situation) => situation.name === name);
  if (found === undefined) throw new Error(`no situation ${name}`);
  return found;
};

describe('the explanation of the cluster in which an index ran (J-17.2 to J-17.6)', () => {
  it.each(SITUATIONS.map((situation) => [situation.name, situation] as const))(
    'equals the golden file for %s',
    (name, situation) => {
      const text = `${whyText(answerTo(situation))}\n`;
      expect(text).toBe(golden(name, text));
    },
  );

  it.each(SITUATIONS.map((situation) => [situation.name, situation] as const))(
    'lists each effect before its causes, from a stream that is verified without findings: %s',
    (_name, situation) => {
      expect(verifyStream(situation.events).findings).toEqual([]);
      const { answers, causes, waits } = answerTo(situation);
      const place = new Map(causes.map(({ id }, at) => [id, at]));
      expect(place.size).toBe(causes.length);
      for (const { because } of [...answers, ...waits])
        for (const id of because) expect(place.has(id)).toBe(true);
      for (const { id, because } of causes)
        for (const other of because) expect(place.get(other)).toBeGreaterThan(place.get(id) ?? Infinity);
    },
  );

  it('leads from a pod in the second cluster of the index to the grant of the index, and from the grant to the first cluster', () => {
    const { answers, causes } = answerTo(named('index-taken-back'));
    const byId = new Map(causes.map((cause) => [cause.id, cause]));
    const reached = new Set<string>();
    const open = answers
      .filter(({ question }) => question.startsWith('in north'))
      .flatMap(({ because }) => because);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      reached.add(byId.get(id)?.message ?? '');
      open.push(...(byId.get(id)?.because ?? []));
    }
    const message = [...reached].join('\n');
    expect(message).toContain('CreateMember north/pi-m2 with indexes 4-7');
    expect(message).toContain('LookUpMember west/pi');
    expect(message).toContain('CreateMember west/pi with indexes 0-7');
  });

  it('names the members whose streams contain more details', () => {
    const { events } = named('index-taken-back');
    expect(membersWithIndex(events, 4).map(({ cluster, name }) => `${cluster}/${name}`)).toEqual([
      'west/pi',
      'north/pi-m2',
    ]);
    expect(membersWithIndex(events, 0)).toMatchObject([
      { cluster: 'west', namespace: 'default', name: 'pi', uid: 'west-1' },
    ]);
    expect(membersWithIndex(named('index-of-an-ordinary-job').events, 0)).toEqual([]);
  });

  it.each([
    ['an index that the Job does not have', 8, /^the Job has no index 8: its indexes go from 0 to 7$/],
  ])('is refused as unknown for %s', (_what, index, message) => {
    const { events, members } = named('index-taken-back');
    expect(whyIndex(events, index, members)).toEqual({
      refused: 'unknown',
      message: expect.stringMatching(message) as unknown,
    });
  });

  it('is refused for a Job without indexes, with this reason', () => {
    const job = aRecording();
    job.job(0, { completions: 1 });
    job.decides(0);
    expect(whyIndex(job.events, 0, new Map())).toMatchObject({
      message: 'the Job has no indexes: its completionMode is not Indexed',
    });
  });

  it('names the missing member when its stream is not recorded', () => {
    const { answers } = answerTo({ ...named('index-taken-back'), members: new Map() });
    expect(answers.map(({ question, message }) => `${question}: ${message}`)).toContain(
      'what its pods did in north: no event of the member pi-m2 was found',
    );
  });
});

describe('the golden files about indexes', () => {
  it('name every rule that the core gives for a decision about a spread Job', () => {
    const folder = join(process.cwd(), 'workflows/placement/decide');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8'));
    const rules = ['J-17.1', 'J-17.2', 'J-17.3', 'J-17.4', 'J-17.5', 'J-17.6', 'J-17.7'];
    const given = rules.filter((rule) => sources.some((text) => text.includes(`'${rule}'`)));
    expect(given.length).toBeGreaterThan(3);
    const texts = SITUATIONS.map(({ name }) => recorded(name)).join('\n');
    expect(given.filter((rule) => !texts.includes(`[${rule}]`))).toEqual([]);
  });

  it('each belong to a test situation', () => {
    const names = new Set(SITUATIONS.map(({ name }) => `${name}.txt`));
    expect(readdirSync(files).toSorted()).toEqual([...names].toSorted());
  });
});
