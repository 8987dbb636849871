import { lostAnswers } from './lost-answers.ts';

const CREATION = { method: 'POST', url: '/apis/batch/v1/namespaces/team/jobs' };

describe('when a test round loses the answers to creations of members,', () => {
  it('the first creation has no answer, and later creations are refused or have no answer', () => {
    const losses = lostAnswers();
    const { nextFault } = losses.requestsTo('west');
    losses.begin('west', 1);
    expect(losses.hasLost('west')).toBe(false);
    const faults = Array.from({ length: 200 }, () => nextFault(CREATION));
    expect([faults[0], losses.hasLost('west')]).toEqual(['unanswered', true]);
    const codes = new Set(faults.map((fault) => (typeof fault === 'string' ? fault : fault?.status)));
    expect(codes).toEqual(new Set(['unanswered', 403, 422, 500]));
    expect(losses.unanswered + losses.refused).toBe(200);
  });

  it('requests of other kinds, to other clusters, or outside that period have no fault', () => {
    const losses = lostAnswers();
    const { nextFault } = losses.requestsTo('west');
    const before = nextFault(CREATION);
    losses.begin('west', 1);
    const others = [
      { ...CREATION, method: 'GET' },
      { ...CREATION, url: `${CREATION.url}/pi` },
      { ...CREATION, url: '/api/v1/namespaces/team/pods' },
    ].map(nextFault);
    const elsewhere = losses.requestsTo('north').nextFault(CREATION);
    losses.end('west');
    expect([before, ...others, elsewhere, nextFault(CREATION)]).toEqual([null, null, null, null, null, null]);
  });
});
