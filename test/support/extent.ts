/**
 * The number of random lives, requests or items that a test plays: a sample in `npm test`, the whole in `npm run test:long`, which sets the variable.
 * Seeds are fixed, so the sample is the beginning of the whole.
 */
export function extent(sample: number, whole: number): number {
  return process.env['JOBLEDGER_TEST_EXTENT'] === 'whole' ? whole : sample;
}
