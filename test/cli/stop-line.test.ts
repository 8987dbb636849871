import { describe, expect, it } from '@jest/globals';
import { stopLine } from '../../cli/verbs/up/stop-line.ts';

describe('the line of "jobledger up" at Ctrl-C', () => {
  it('says that the pods of the embedded cluster end, and count as failed', () => {
    expect(stopLine({ kubeconfig: 'jobledger.kubeconfig' })).toBe(
      'stopping; the pods of the embedded cluster end with it, and after the next start those that ran count as failed',
    );
  });

  it('is absent without an embedded cluster', () => {
    expect(stopLine({ databaseUrl: 'postgres://127.0.0.1/jobledger' })).toBeNull();
    expect(stopLine(undefined)).toBeNull();
  });
});
