/** A time for people: three significant digits and the unit that fits, such as `412 ns`, `1.35 ms`. */
export function formatMs(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  if (ms === 0) return '0 ms'
  if (ms < 0.9995e-3) return `${digits(ms * 1e6)} ns`
  if (ms < 0.9995) return `${digits(ms * 1e3)} µs`
  return ms < 999.5 ? `${digits(ms)} ms` : `${digits(ms / 1e3)} s`
}

/**
 * A time with the half-width of its confidence interval in the same unit: `1.35 ± 0.02 ms`. An interval that reaches
 * down to zero says nothing: the runs vary too much.
 */
export function formatInterval(ms: number, halfWidthMs: number | null): string {
  if (halfWidthMs !== null && halfWidthMs >= ms) return `${formatMs(ms)} (${variesTooMuch})`
  const [value, unit] = formatMs(ms).split(' ') as [string, string | undefined]
  if (halfWidthMs === null || unit === undefined) return formatMs(ms)
  const scale = { ns: 1e6, µs: 1e3, ms: 1, s: 1e-3 }[unit] ?? 1
  const decimals = value.split('.')[1]?.length ?? 0
  return `${value} ± ${(halfWidthMs * scale).toFixed(decimals)} ${unit}`
}

/** The text shown in place of an interval that says nothing. */
export const variesTooMuch = 'varies too much'

/** Runs from which an interval says something: that of two is twelve deviations wide. */
const leastRuns = 3

/** Why a figure of so many runs has no interval, or one that reaches down to zero. */
export function noIntervalText(runs: number): string {
  return runs < leastRuns ? 'too few runs' : variesTooMuch
}

/** An exact number for people: `12,345`, `0.5`. */
export function formatExact(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 6 })
}

/** A whole number of callers for people: `1 caller`, `1,000 callers`. */
export function formatCallers(callers: number): string {
  const count = Math.max(1, Math.round(callers))
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'caller' : 'callers'}`
}

/** A factor for people: `1.04`, `3.6`, `128`. */
export function formatTimes(factor: number): string {
  if (!Number.isFinite(factor)) return '–'
  if (factor >= 9.95) return Number(factor.toPrecision(2)).toLocaleString('en-US')
  return factor >= 1.995 ? factor.toFixed(1) : factor.toFixed(2)
}

/** A number with three significant digits, grouped in thousands from 10,000 on. */
export function formatCount(value: number): string {
  if (Number.isNaN(value)) return '–'
  if (value < 0) return `−${formatCount(-value)}`
  return value < 1_000 ? digits(value) : Math.round(Number(value.toPrecision(3))).toLocaleString('en-US')
}

/** A duration of a run: `42 s`, `3 min 05 s`, `1 h 02 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

function digits(value: number): string {
  if (value >= 99.95) return value.toFixed(0)
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2)
}

/** The length of a run: short ones keep their fractions. */
export function formatLength(ms: number): string {
  return ms < 10_000 ? formatMs(ms) : formatDuration(ms)
}

/** A hit rate in per cent, without what binary fractions add. */
export function percent(rate: number): number {
  return Number((rate * 100).toFixed(2))
}

/** Names as English lists them: `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** A paragraph broken at spaces, its further lines indented; what it begins with stays. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = []
  const start = /^ */.exec(text)?.[0] ?? ''
  let line = ''
  for (const word of text.slice(start.length).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent + word
    } else line = line === '' ? start + word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
