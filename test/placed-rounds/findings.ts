/** What a run must show. */
export type Guarantee =
  'complete' | 'overlap' | 'lost' | 'repeated' | 'drained' | 'verify' | 'rebuild' | 'refusals';

/** Something that is not as it must be. */
export interface Finding {
  guarantee: Guarantee;
  text: string;
}
