import { describe, expect, it } from '@jest/globals';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import { jobWords } from '../../workflows/history/timeline/job-words.ts';
import { jobObject } from '../support/builders.ts';

const running = jobFacts(jobObject({ suspend: false }));
const suspended = jobFacts(jobObject({ suspend: true }));

describe('the text of an observed Job', () => {
  it('says that a Job was created suspended, not that it was suspended', () => {
    expect(jobWords(null, suspended)).toMatch(/^first seen.*, suspend true/);
    expect(jobWords(null, suspended)).not.toContain('→');
    expect(jobWords(null, running)).not.toContain('suspend');
  });

  it('says how its suspension changed', () => {
    expect(jobWords(running, suspended)).toContain('suspend false → true');
    expect(jobWords(suspended, running)).toContain('suspend true → false');
    expect(jobWords(suspended, suspended)).not.toContain('suspend');
  });
});
