/** The time of an instant on the clocks of a time zone, such as `02:00 Europe/Berlin`; null without a zone that the browser knows. */
export function timeInZone(instant: string, zone: string | null): string | null {
  if (zone === null) return null;
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    return `${format.format(new Date(instant))} ${zone}`;
  } catch {
    return null;
  }
}
