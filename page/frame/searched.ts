import { isLabel, type FleetFilters } from '../address/page-address.ts';

/** True when a text is a uid in the form of API servers. */
export function isUid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The filters that a searched text means: a label, or a part of the name. */
export function searchedFilters(text: string): FleetFilters {
  if (text === '') return {};
  return isLabel(text) ? { labels: [text] } : { text };
}
