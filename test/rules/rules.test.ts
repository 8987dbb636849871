import { citationsIn } from './citations.ts';
import { conformancePage, headingsIn } from './conformance.ts';
import { paragraphs, summary, unknown, untested } from './report.ts';
import { readRules } from './rules.ts';

const rules = readRules(`
| rule           | about     | left out because |
| -------------- | --------- | ---------------- |
| J-5.40         | the delay |                  |
| J-5.41         | the time  |                  |
| J-12.1 to J-12.3 | the past  | history          |
`);
const citations = [
  ...citationsIn('test/job/decide/pods/backoff.test.ts', "it('waits (J-5.40)')"),
  ...citationsIn('workflows/job/decide/pods/backoff.ts', '// J-5.40 to J-5.42'),
  ...citationsIn('test/support/given.ts', '// J-5.41'),
];

describe('the report about the rules and the places that name them', () => {
  it('has each rule, also when one row of docs/rules.md names several rules', () => {
    expect([...rules.keys()]).toEqual(['J-5.40', 'J-5.41', 'J-12.1', 'J-12.2', 'J-12.3']);
    expect(rules.get('J-12.2')?.leftOut).toBe('history');
  });

  it('names a place that cites an unknown rule', () => {
    expect(unknown(rules, citations)).toEqual([
      'workflows/job/decide/pods/backoff.ts:1 names J-5.42: there is no such rule in docs/rules.md',
    ]);
  });

  it('names an applicable rule that no test cites, where shared test code does not count as a test', () => {
    expect(untested(rules, citations)).toEqual(['J-5.41 (the time) applies, and no test names it']);
    expect(summary(rules, citations)).toBe('5 rules: 2 apply, 1 of them are named by tests; 3 are left out');
  });

  it('lists for each rule its tests and its code, or the reason why it is left out', () => {
    const [delay, time, past] = paragraphs(rules, citations);
    expect(delay).toBe(
      'J-5.40  the delay\n    test: test/job/decide/pods/backoff.test.ts:1\n    code: workflows/job/decide/pods/backoff.ts:1',
    );
    expect(time).toContain('code: test/support/given.ts:1');
    expect(past).toContain('left out: history');
  });

  it('can be written as the page of conformance, with the tests of each rule, or the reason why it is left out', () => {
    const onServers = citationsIn('test/integration/backoff.test.ts', "it('waits (J-5.40)')");
    const headings = headingsIn('## J-5 Pods\n\n## J-12 History\n');
    const page = conformancePage(rules, [...citations, ...onServers], headings);
    const rows = page.split('\n');
    expect(rows).toContain('| J-5.40 | the delay | `integration/backoff` | `job/decide/pods/backoff` |');
    expect(rows).toContain('| J-12.2 | the past | left out: history | |');
    expect(rows.indexOf('## J-12 History')).toBeGreaterThan(rows.indexOf('## J-5 Pods'));
  });

  it('includes rules of every kind from docs/rules.md', () => {
    const page = [...readRules().keys()];
    for (const id of ['J-1.40', 'J-5.40', 'J-A.2', 'D-1', 'D-134', 'B-31']) expect(page).toContain(id);
  });
});
