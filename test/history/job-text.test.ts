import { describe, expect, it } from '@jest/globals';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import { jobText } from '../../workflows/history/timeline/job-text.ts';
import { jobObject } from '../support/builders.ts';

const running = jobFacts(jobObject({ suspend: false }));
const suspended = jobFacts(jobObject({ suspend: true }));

describe('the text of an observed Job', () => {
  it('reports that a Job was created suspended, not that a user suspended it', () => {
    expect(jobText(null, suspended)).toMatch(/^first seen.*, suspend true/);
    expect(jobText(null, suspended)).not.toContain('→');
    expect(jobText(null, running)).not.toContain('suspend');
  });

  it('reports how the suspension of the Job changed', () => {
    expect(jobText(running, suspended)).toContain('suspend false → true');
    expect(jobText(suspended, running)).toContain('suspend true → false');
    expect(jobText(suspended, suspended)).not.toContain('suspend');
  });
});
