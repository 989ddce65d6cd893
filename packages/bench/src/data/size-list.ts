import type { StoreError } from '@unikv/core'
import { invalidArgument } from '../options/invalid.ts'

/** Largest object that the generator makes: 1 Gi bytes. */
export const maxObjectBytes: number = 2 ** 30
/** Most sizes in one run. */
export const maxSizes = 100

const units: Readonly<Record<string, number>> = {
  '': 1,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  KI: 2 ** 10,
  MI: 2 ** 20,
  GI: 2 ** 30,
}

/**
 * Request sizes in bytes, ascending and without repetition.
 *
 * A list (`100,1K,10K`), a range (`1K..1M`: steps 1, 2, 5, 10, … times its start), a range with a factor
 * (`1K..1M:2`), or a list of all these. A range always includes its end. K = 1,000, Ki = 1,024; a `B` may follow.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming the part that is wrong
 */
export function parseSizes(text: string): number[] {
  const sizes = text.split(',').flatMap((part) => parsePart(part.trim()))
  const distinct = [...new Set(sizes)].sort((a, b) => a - b)
  if (distinct.length > maxSizes)
    throw invalid(`${distinct.length} sizes are too many: at most ${maxSizes} in one run`)
  return distinct
}

/**
 * One size in bytes, such as `1.5K` (1,500) or `4Ki` (4,096).
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function parseSize(text: string): number {
  const match = /^(\d+)(?:\.(\d+))?\s*([kmg]?i?)b?$/i.exec(text)
  const unit = units[(match?.[3] ?? '').toUpperCase()]
  const bytes =
    match === null || unit === undefined ? Number.NaN : times(unit, match[1] ?? '', match[2] ?? '')
  if (!Number.isInteger(bytes))
    throw invalid(`'${text}' is not a size: write bytes such as 100, 1K (1,000) or 4Ki (4,096)`)
  if (bytes < 1 || bytes > maxObjectBytes) throw invalid(`the size ${text} is outside 1 byte to 1Gi`)
  return bytes
}

/** A decimal times a unit, without what binary fractions add: 4.1 × 1,000,000 is 4,100,000. */
function times(unit: number, whole: string, fraction: string): number {
  if (whole.length + fraction.length > 30) return Number.NaN // longer than any size
  const scaled = BigInt(whole + fraction) * BigInt(unit)
  const scale = 10n ** BigInt(fraction.length)
  return scaled % scale === 0n ? Number(scaled / scale) : Number.NaN
}

/** A size for people, exact, so that two sizes of one table never look alike: `1 KB`, `64 KiB`, `1.001 KB`. */
export function formatSize(bytes: number): string {
  for (const [unit, suffix] of binaryUnits)
    if (bytes % unit === 0 && bytes % 1e3 !== 0) return `${bytes / unit} ${suffix}`
  const [unit, suffix] = decimalUnits.find(([size]) => bytes >= size) ?? [1, 'B']
  return `${bytes / unit} ${suffix}`
}

/** A size as the command line takes it, such as `10K`. */
export function sizeText(size: number): string {
  const [unit, suffix] = (
    [
      [1e6, 'M'],
      [1e3, 'K'],
    ] as const
  ).find(([one]) => size % one === 0) ?? [1, '']
  return `${size / unit}${suffix}`
}

/** A computed size, such as that of all files, in three digits: `1.23 MB`. */
export function aboutSize(bytes: number): string {
  const isRound = bytes < 1e3 || bytes % 2 ** 10 === 0
  return formatSize(isRound ? bytes : Number(bytes.toPrecision(3)))
}

const binaryUnits = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
] as const

const decimalUnits = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
] as const

function parsePart(part: string): number[] {
  if (!part.includes('..')) return [parseSize(part)]
  const match = /^(.+?)\.\.(.+?)(?::(.+))?$/.exec(part)
  if (match === null) throw invalid(`'${part}' is not a range: write 1K..1M or 1K..1M:2`)
  const from = parseSize((match[1] as string).trim())
  const to = parseSize((match[2] as string).trim())
  if (from > to) throw invalid(`the range ${part} is empty: it starts above its end`)
  return match[3] === undefined ? roundSteps(from, to) : factorSteps(from, to, match[3].trim(), part)
}

/** 1, 2, 5, 10, 20, 50, … times the start. */
function roundSteps(from: number, to: number): number[] {
  const sizes: number[] = []
  for (let decade = from; decade < to; decade *= 10) {
    sizes.push(...[decade, decade * 2, decade * 5].filter((size) => size < to))
  }
  return [...sizes, to]
}

function factorSteps(from: number, to: number, text: string, part: string): number[] {
  const factor = Number(text)
  if (!(factor > 1 && Number.isFinite(factor)))
    throw invalid(`the factor of ${part} must be a number above 1`)
  const steps = Math.ceil(Math.log(to / from) / Math.log(factor))
  if (steps >= maxSizes)
    throw invalid(`the range ${part} has more than ${maxSizes} sizes: use a larger factor`)
  const sizes = Array.from({ length: steps }, (_, step) => Math.round(from * factor ** step)).filter(
    (size) => size < to,
  )
  return [...sizes, to]
}

function invalid(message: string): StoreError {
  return invalidArgument(`Sizes: ${message}.`)
}
