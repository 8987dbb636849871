import { describe, expect, it } from '@jest/globals';
import { toInitials } from '../../page/frame/initials.ts';
import { isUid, searchedFilters } from '../../page/frame/searched.ts';
import { addressScope, withScope } from '../../page/address/scope.ts';
import { findSubmitter } from '../../page/job/facts/fact-text.ts';
import { failedTimeText, podTime } from '../../page/job/facts/fact-text.ts';
import { ordinal, spokenIndexes } from '../../page/job/sentence/spoken.ts';
import { toYaml } from '../../page/job/facts/yaml.ts';
import { shownContainers } from '../../services/read-model/shown/containers.ts';
import { podHours } from '../../services/read-model/shown/pod-outcome.ts';
import { runFacts } from '../../services/read-model/shown/run-facts.ts';
import { roughDuration, shortInstant, distanceText } from '../../page/components/instants.ts';
import { statusTone } from '../../page/components/tone.ts';
import { after, aKilledPod, aListedJob, START } from './a-job.ts';

describe('a duration on the page', () => {
  it.each([
    [500, '0 s'],
    [59_999, '59 s'],
    [840_000, '14 min'],
    [7_300_000, '2 h'],
    [200_000_000, '2 d'],
  ])('is rounded to its largest unit: %s ms is %s', (milliseconds, message) => {
    expect(roughDuration(milliseconds)).toBe(message);
  });
});

describe('an instant on the page', () => {
  it.each([
    [-38_000, '38 s ago'],
    [0, 'now'],
    [38_000, 'in 38 s'],
  ])('is relative to the present instant: %s ms from now is %s', (offset, message) => {
    expect(distanceText(START + offset, START)).toBe(message);
  });

  it('has the day only when the day differs', () => {
    expect(shortInstant(START, START)).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(shortInstant(START, START + 3 * 86_400_000)).toMatch(/^2\d Nov \d\d:\d\d:\d\d$/);
    expect(shortInstant(START, START + 400 * 86_400_000)).toMatch(/^2\d Nov 2026 \d\d:\d\d:\d\d$/);
  });
});

describe('a number in a sentence of the page', () => {
  it.each([
    [1, 'first'],
    [3, 'third'],
    [11, '11th'],
    [12, '12th'],
    [21, '21st'],
    [22, '22nd'],
  ])('is written as an ordinal: %s as %s', (count, message) => {
    expect(ordinal(count)).toBe(message);
  });

  it.each([
    [[3], 'Index 3'],
    [[3, 5], 'Indexes 3 and 5'],
    [[0, 1, 2, 3, 4, 5, 6], '7 indexes'],
  ])('is the number of an index, or a count of indexes: %j is "%s"', (indexes, message) => {
    expect(spokenIndexes(indexes)).toBe(message);
  });
});

describe('the scope in the frame of the page', () => {
  it('is the cluster and namespace of a list, and a change of the scope retains the other filters', () => {
    const address = {
      view: 'fleet',
      filters: { cluster: 'east', state: ['Failed'] },
      group: 'reason',
    } as const;
    expect(addressScope(address)).toEqual({ cluster: 'east' });
    expect(withScope(address, { namespace: 'team-a' })).toEqual({
      view: 'fleet',
      filters: { state: ['Failed'], namespace: 'team-a' },
      group: 'reason',
    });
  });

  it('is absent for a single Job', () => {
    expect(addressScope({ view: 'job', job: { cluster: 'east', namespace: 'a', name: 'b' } })).toEqual({});
  });
});

describe('the initials of a user on the page', () => {
  it.each([
    ['anna', 'AN'],
    ['oidc:rosa.klein@example.com', 'RK'],
    ['', '?'],
  ])('are the first letters of the name: %j gives %s', (name, initials) => {
    expect(toInitials(name)).toBe(initials);
  });
});

describe('a UID in an address', () => {
  it.each([
    ['2ef09cd6-471f-4ae0-8d20-635054c0b30b', true],
    ['2ef09cd6', false],
    ['nightly-report', false],
  ])('is recognized in %s: %j', (text, expected) => {
    expect(isUid(text)).toBe(expected);
  });
});

describe('a search text on the page', () => {
  it.each([
    ['', {}],
    ['report', { text: 'report' }],
    ['team=maths', { labels: ['team=maths'] }],
    ['a = b', { text: 'a = b' }],
  ])('becomes filters: %j becomes %j', (text, filters) => {
    expect(searchedFilters(text)).toEqual(filters);
  });
});

describe('the tone of a status on the page', () => {
  it.each([
    ['Succeeded', 'succeeded'],
    ['Retrying', 'waiting'],
    ['Deleted', 'off'],
    ['constructor', 'off'],
  ])('is the colour group of the status: %s is %s', (word, tone) => {
    expect(statusTone(word)).toBe(tone);
  });
});

describe('a recorded manifest on the page', () => {
  const manifest = {
    metadata: { annotations: { 'jobledger.dev/submitted-by': 'ann' } },
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: 'main',
              image: 'registry.example/team/report:2026.11',
              resources: { limits: { memory: '512Mi', cpu: '1' }, requests: { memory: '256Mi', cpu: '1' } },
            },
          ],
        },
      },
    },
  };

  it('shows its images in a short form, and its resources as text', () => {
    expect(shownContainers(manifest)).toMatchObject([
      { short: 'report:2026.11', resources: 'cpu up to 1, memory 256Mi to 512Mi' },
    ]);
    expect(shownContainers(null)).toEqual([]);
  });

  it('shows the user who submitted it, by the event of the submission or else by its annotation', () => {
    expect(findSubmitter([], manifest)).toBe('ann');
    expect(findSubmitter([{ id: 'e', time: after(0), data: { by: 'bob' } }], manifest)).toBe('bob');
    expect(
      findSubmitter([{ id: 'e', time: after(0), data: { by: 'bob', action: 'suspend' } }], null),
    ).toBeNull();
  });

  it('is shown as YAML, in which texts that look like other values are quoted', () => {
    expect(toYaml({ a: [{ b: 'x: y', c: '1' }, { d: [] }], e: {}, f: true, g: 'true', 'h/i': null })).toBe(
      'a:\n  - b: "x: y"\n    c: "1"\n  - d: []\ne: {}\nf: true\ng: "true"\nh/i: null',
    );
  });

  it('contributes its image to the facts by which the page compares two runs', () => {
    const pods = [aKilledPod('a', 0), aKilledPod('b', 0, 20)];
    const facts = runFacts({ job: aListedJob({ reason: 'x' }), pods }, manifest, START);
    expect(Object.fromEntries(facts.map(({ what, value }) => [what, value]))).toMatchObject({
      reason: 'x',
      pods: '2',
      'failed attempts': '2',
      image: 'registry.example/team/report:2026.11',
    });
    expect(podHours(pods, START)).toBeCloseTo((9 + 19) / 3600, 6);
    const unseen = pods.map((pod) => ({ ...pod, deleted_at: pod.finished_at, finished_at: null }));
    expect(podHours(unseen, START + 3_600_000)).toBeCloseTo((9 + 19) / 3600, 6);
    expect([podTime(pods), failedTimeText(pods), failedTimeText([])]).toEqual([
      '28 s',
      '28 s in failed attempts',
      '',
    ]);
    const long = aKilledPod('c', 0, 3 * 3600);
    expect(podTime([long])).toBe('3.00 h');
  });
});
