import { invalidArgument } from './invalid.ts'
import type { Form } from './option.ts'

/** Text as it is. */
export function text(argument: string): Form {
  return { argument, parse: (given) => given }
}

/** One of these words. */
export function choice(...words: readonly string[]): Form {
  return {
    argument: `<${words.join('|')}>`,
    parse: (given) => {
      if (words.includes(given)) return given
      throw invalidArgument(`'${given}' is not one of ${words.join(', ')}.`)
    },
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Milliseconds of a time such as `500ms`, `5s`, `1.5m`, `1h` or `7d`; a number alone is seconds.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function parseDuration(text: string): number {
  const [, amount = '', unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/.exec(text) ?? []
  const ms = amount === '' ? Number.NaN : Number(amount) * (units[unit] as number)
  if (Number.isFinite(ms)) return ms
  throw invalidArgument(`'${text}' is not a time. Write it like 500ms, 30s, 5m, 1h or 7d.`)
}

/** A time in milliseconds. */
export const time: Form = {
  argument: '<time>',
  parse: parseDuration,
  textOf: (ms) => (typeof ms === 'number' ? timeText(ms) : undefined),
}

/** A time above 0 in milliseconds. */
export const length: Form = { ...time, parse: parseLength }

function parseLength(given: string): number {
  const ms = parseDuration(given)
  if (ms > 0) return ms
  throw invalidArgument(`A run of '${given}' would measure nothing. Write a time above 0.`)
}

function timeText(ms: number): string {
  if (ms % 1_000 !== 0 || ms === 0) return `${ms}ms`
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1_000}s`
}

/** Shares from 0 to 1 as they are written, in per cent. */
export function percentages(shares: unknown): string {
  return (shares as readonly number[]).map((share) => share * 100).join(',')
}

/** Shares from 0 to 1, ascending and each once, of a list in per cent; `check` throws what is wrong with a part. */
export function sharesIn(list: string, check: (part: string, percent: number) => void): number[] {
  const shares = list.split(',').map((part) => {
    const digits = part.trim().replace(/%$/, '')
    const percent = digits === '' ? Number.NaN : Number(digits)
    check(part.trim(), percent)
    return percent / 100
  })
  return [...new Set(shares)].sort((a, b) => a - b)
}
