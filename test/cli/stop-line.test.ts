import { describe, expect, it } from '@jest/globals';
import { stopLine } from '../../cli/verbs/up/lines.ts';

describe('the line that "jobledger up" prints at Ctrl-C', () => {
  it('explains that the pods of the embedded cluster end, and count as failed', () => {
    expect(stopLine({ kubeconfig: 'jobledger.kubeconfig' })).toBe(
      'stopping; the pods of the embedded cluster end too, and the running pods count as failed after the next start',
    );
  });

  it('is absent without an embedded cluster', () => {
    expect(stopLine({ databaseUrl: 'postgres://127.0.0.1/jobledger' })).toBeNull();
    expect(stopLine(undefined)).toBeNull();
  });
});
