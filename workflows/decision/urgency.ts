/**
 * How soon the object's workflow gets a fact (J-3.2): `now` at once; `soon` at once if the workflow has got nothing for
 * a while, else in the next batch; `later` in the next batch; `none` only together with another fact.
 */
export type Urgency = 'now' | 'soon' | 'later' | 'none';
