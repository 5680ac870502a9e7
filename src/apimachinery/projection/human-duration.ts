/**
 * Durations as people read them: two units at most, the coarser the longer.
 *
 *     45s   2m5s   17m   5h20m   31h   3d4h   200d   2y31d
 */

/** Each row: up to so many of the unit the duration is written so. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  // Clocks differ a little; what lies further ahead is nonsense.
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return two(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (hours < 24 * 365 * 8) return two(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function two(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`;
}
