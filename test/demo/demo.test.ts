import { withoutAddresses } from '../../demo/environment.ts';
import { piDigits } from '../../demo/pi-digits.ts';

describe('the digits with which the demo compares its result', () => {
  it('are the digits of π, the last digit truncated', () => {
    expect(piDigits(20)).toBe('3.1415926535897932384');
    // Six nines begin at the 762nd decimal.
    expect(piDigits(770).slice(-9)).toBe('499999983');
  });
});

describe('the demo in a shell that is configured for other servers', () => {
  it('ignores these servers and their clusters', () => {
    const shell = {
      PATH: '/bin',
      DATABASE_URL: 'x',
      KAFKA_BROKERS: 'x',
      TEMPORAL_API_KEY: 'x',
      JOBLEDGER_CONTEXTS: 'x',
      JOBLEDGER_TEMPORAL: '/opt/temporal',
    };
    expect(withoutAddresses(shell)).toEqual({ PATH: '/bin', JOBLEDGER_TEMPORAL: '/opt/temporal' });
  });
});
