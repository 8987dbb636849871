import { describe, expect, it } from '@jest/globals';
import { chainNotice } from '../../services/worker/placement/commands/commands.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { jobObject } from '../support/builders.ts';

function aPlacedJob(fields: Partial<Parameters<typeof jobObject>[0]> = {}): Job {
  return jobObject({ uid: 'u1', version: '1', managedBy: 'jobledger.dev/placement', ...fields });
}

describe('a placed Job, which cannot wait for other Jobs,', () => {
  const annotations = { 'jobledger.dev/after': 'extract' };
  const message = 'a placed Job cannot wait for other Jobs: jobledger.dev/after has no effect';

  it('gets one notice that its annotation jobledger.dev/after has no effect', () => {
    const noticed = new Set<string>();
    expect(chainNotice(aPlacedJob({ annotations }), noticed)).toEqual({
      type: 'Warning',
      reason: 'InvalidAnnotation',
      message,
    });
    expect(chainNotice(aPlacedJob({ annotations }), noticed)).toBeNull();
  });

  it('gets a notice that it stays suspended when it has the annotation jobledger.dev/after and is suspended', () => {
    expect(chainNotice(aPlacedJob({ annotations, suspend: true }), new Set())?.message).toBe(
      `${message}, and the Job stays suspended until a user resumes it`,
    );
  });

  it('gets no notice when it has no annotation jobledger.dev/after', () => {
    expect(chainNotice(aPlacedJob(), new Set())).toBeNull();
  });
});
