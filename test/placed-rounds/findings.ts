/** The promises that a run must show. */
export type Guarantee = 'overlap' | 'lost' | 'repeated' | 'verify' | 'rebuild' | 'refusals';

/** Something that is not as it must be. */
export interface Finding {
  guarantee: Guarantee;
  text: string;
}
