import { createFaultyRequests, REQUEST_FAULTS, type RequestFault } from './faulty-requests.ts';

const PODS = '/api/v1/namespaces/default/pods';

function faultsIn(
  fault: RequestFault,
  percent: 1 | 5 | 10,
  request: { method: string; url: string },
): number {
  const faulty = createFaultyRequests();
  faulty.arm({ fault, percent, seed: 7 });
  return Array.from({ length: 1000 }, () => faulty.nextFault(request)).filter((each) => each !== null).length;
}

describe('the requests to which the test proxy adds a fault', () => {
  it.each(REQUEST_FAULTS)('are about as many as the rate requires: %s', (fault) => {
    for (const percent of [1, 5, 10] as const) {
      const faults = faultsIn(fault, percent, { method: 'POST', url: PODS });
      expect(faults).toBeGreaterThan(percent * 5);
      expect(faults).toBeLessThan(percent * 15);
    }
  });

  it('are never watches, and are reads only when the fault is an error page of a load balancer', () => {
    for (const fault of REQUEST_FAULTS) {
      expect(faultsIn(fault, 10, { method: 'GET', url: `${PODS}?watch=1` })).toBe(0);
      expect(faultsIn(fault, 10, { method: 'GET', url: PODS }) > 0).toBe(fault.endsWith('page'));
    }
  });

  it('are none after the faults are disarmed', () => {
    const faulty = createFaultyRequests();
    faulty.arm({ fault: '429', percent: 10, seed: 7 });
    faulty.disarm();
    for (let request = 0; request < 100; request += 1)
      expect(faulty.nextFault({ method: 'POST', url: PODS })).toBeNull();
  });
});
