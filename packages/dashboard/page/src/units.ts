const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const whole = new Intl.NumberFormat('en')

/** A number with at most three digits that count. */
export function numberText(value: number): string {
  return Math.abs(value) >= 1_000 ? whole.format(Math.round(value)) : digits.format(value)
}

/** Milliseconds in a unit that fits. */
export function timeText(ms: number): string {
  if (ms === 0) return '–'
  if (ms < 0.001) return `${digits.format(ms * 1e6)} ns`
  if (ms < 1) return `${digits.format(ms * 1e3)} µs`
  return ms < 1_000 ? `${digits.format(ms)} ms` : `${digits.format(ms / 1e3)} s`
}

/** Bytes in a unit that fits. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB']
  const step = bytes < 1 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10))
  return `${digits.format(bytes / 1024 ** step)} ${units[step]}`
}

/** A share as per cent. */
export function shareText(share: number): string {
  return `${digits.format(share * 100)} %`
}

/** A moment in the zone of the reader. */
export function momentText(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}
