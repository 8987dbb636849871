import { createRequire } from 'node:module';
import type { Test } from '@jest/test-result';
import type sequencer from '@jest/test-sequencer';

// Its types are those of its CommonJS form; a module would import another one.
const { default: TestSequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as {
  default: typeof sequencer.default;
};

/** Files that take longer than their length suggests, because they wait: for whole minutes, or for time limits. */
const LONGEST = [
  'faults/placed-jobs',
  'integration/given-namespaces',
  'faults/placed-rounds',
  'faults/spread-jobs',
  'integration/cron-jobs',
  'integration/placement',
  'integration/cron-take-over',
  'faults/losses',
  'integration/page',
  'integration/several-brokers',
  'integration/rebuild',
  'integration/job-rules',
  'integration/sink',
  'integration/sinks',
  'integration/api',
  'faults/disaster',
].map((name) => `/test/${name}.test.ts`);

/** The long files begin first, so that no other waits for one of them at the end. */
// oxlint-disable-next-line import/no-default-export -- Jest loads a sequencer by its default export
export default class LongestFirst extends TestSequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const others = await super.sort(tests);
    const place = ({ path }: Test): number => {
      const at = LONGEST.findIndex((name) => path.endsWith(name));
      return at === -1 ? LONGEST.length : at;
    };
    return others.toSorted((one, other) => place(one) - place(other));
  }
}
