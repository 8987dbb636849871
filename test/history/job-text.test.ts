import { describe, expect, it } from '@jest/globals';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import { jobText } from '../../workflows/history/timeline/job-text.ts';
import { jobObject } from '../support/builders.ts';

const running = jobFacts(jobObject({ suspend: false }));
const suspended = jobFacts(jobObject({ suspend: true }));

describe('the text of an observed Job', () => {
  it('says that a Job was created suspended, not that it was suspended', () => {
    expect(jobText(null, suspended)).toMatch(/^first seen.*, suspend true/);
    expect(jobText(null, suspended)).not.toContain('→');
    expect(jobText(null, running)).not.toContain('suspend');
  });

  it('says how its suspension changed', () => {
    expect(jobText(running, suspended)).toContain('suspend false → true');
    expect(jobText(suspended, running)).toContain('suspend true → false');
    expect(jobText(suspended, suspended)).not.toContain('suspend');
  });
});
