/** A number with its unit, as people read it. */
export function figureText(value: number, unit: string): string {
  if (unit === 'share') return percent(value)
  if (unit === 'bytes') return bytesText(value)
  if (unit === 'times') return `${round(value)} times`
  return `${round(value)} ${unit}`
}

function bytesText(value: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, value)) / 3))
  return `${round(value / 1000 ** power)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

/** So many times as much. */
export function times(factor: number): string {
  return `${round(factor)} times`
}

/** Measured by a few windows: more than two digits would be chance. */
export function ratio(factor: number): string {
  return factor.toLocaleString('en-US', { maximumSignificantDigits: 2 })
}

/** A share in per cent. */
export function percent(share: number): string {
  return `${share < 0.1 ? round(share * 100) : Math.round(share * 100)} %`
}

function round(value: number): string {
  return value.toLocaleString(
    'en-US',
    value >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  )
}

/** A moment, in UTC. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
