import { countDeaths } from '../../../../infra/local/processes/deaths.ts';

describe('a supervised program that ends by itself', () => {
  it('is not started again after its fifth end within a minute', () => {
    let now = 0;
    const deaths = countDeaths(() => now);
    for (const at of [0, 10_000, 20_000, 30_000]) {
      now = at;
      deaths.note();
      expect(deaths.tooMany()).toBeUndefined();
    }
    now = 59_000;
    deaths.note();
    expect(deaths.tooMany()).toBe('ended 5 times within a minute');
  });

  it('is started again when its ends are further apart, after a pause that grows to two seconds', () => {
    let now = 0;
    const deaths = countDeaths(() => now);
    const pauses = Array.from({ length: 20 }, () => {
      now += 16_000;
      deaths.note();
      expect(deaths.tooMany()).toBeUndefined();
      return deaths.pause();
    });
    expect(pauses.slice(0, 3)).toEqual([0, 250, 500]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(2000);
  });
});
