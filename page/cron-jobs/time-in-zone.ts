/**
 * The time of day of an RFC 3339 instant on the clocks of a time zone, such as `02:00 Europe/Berlin`; null if the zone is null
 * or unknown to the browser.
 */
export function timeInZone(instant: string, zone: string | null): string | null {
  if (zone === null) return null;
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    return `${format.format(new Date(instant))} ${zone}`;
  } catch {
    return null;
  }
}
