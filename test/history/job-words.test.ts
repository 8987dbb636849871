import { describe, expect, it } from '@jest/globals';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import { jobWords } from '../../workflows/history/timeline/job-words.ts';
import { jobObject } from '../support/builders.ts';

const running = jobFacts(jobObject({ suspend: false }));
const suspended = jobFacts(jobObject({ suspend: true }));

describe('what an observation of a Job says', () => {
  it('is that a Job was created suspended, not that it became so', () => {
    expect(jobWords(null, suspended)).toMatch(/^first seen.*, suspend true/);
    expect(jobWords(null, suspended)).not.toContain('→');
    expect(jobWords(null, running)).not.toContain('suspend');
  });

  it('is how its suspension changed since', () => {
    expect(jobWords(running, suspended)).toContain('suspend false → true');
    expect(jobWords(suspended, running)).toContain('suspend true → false');
    expect(jobWords(suspended, suspended)).not.toContain('suspend');
  });
});
