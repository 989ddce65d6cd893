import type { StoreError } from '@unikv/core'
import { type KeyLaw, keyLawSchema } from '../keys/key-law.ts'
import { invalidArgument } from '../options/invalid.ts'
import { readNumberHistogram } from '../random/weighted.ts'
import type { LengthLaw } from '../values/length-law.ts'
import type { Properties } from './properties.ts'

const requestDistributions = ['uniform', 'zipfian', 'latest', 'hotspot', 'exponential', 'sequential'] as const

const mostLength = 2 ** 30

/** The law of keys. @throws {StoreError} `INVALID_ARGUMENT` */
export function requestLaw(read: PropertyReader): KeyLaw {
  const kind = read.oneOf('requestdistribution', requestDistributions, 'uniform')
  if (kind === 'hotspot') {
    const dataFraction = read.number('hotspotdatafraction', 0.2, 0, 1)
    return { kind, dataFraction, operationFraction: read.number('hotspotopnfraction', 0.8, 0, 1) }
  }
  if (kind === 'exponential') {
    const percentile = read.number('exponential.percentile', 95, 1e-6, 99.999999)
    return { kind, percentile, fraction: read.number('exponential.frac', 0.8571428571, 1e-9) }
  }
  return keyLawSchema.parse({ kind })
}

/** The law of the length of a record: that of all its fields together. @throws {StoreError} `INVALID_ARGUMENT` */
export function recordLaw(read: PropertyReader): LengthLaw {
  const fields = read.whole('fieldcount', 10, 1, 100_000)
  const most = read.whole('fieldlength', 100, 1, mostLength)
  const distributions = ['constant', 'uniform', 'zipfian', 'histogram'] as const
  const kind = read.oneOf('fieldlengthdistribution', distributions, 'constant')
  switch (kind) {
    case 'constant':
      return { kind, length: fields * most }
    case 'histogram':
      return { kind, ...readNumberHistogram(read.text('fieldlengthhistogram', 'hist.txt')), fields }
    case 'uniform':
    case 'zipfian':
      return range(kind, read.whole('minfieldlength', 1, 1, most), most, { fields })
  }
}

/** The law of the number of records that a scan asks for. @throws {StoreError} `INVALID_ARGUMENT` */
export function scanLaw(read: PropertyReader): LengthLaw {
  const most = read.whole('maxscanlength', 1_000, 1, mostLength)
  const least = read.whole('minscanlength', 1, 1, most)
  return range(read.oneOf('scanlengthdistribution', ['uniform', 'zipfian'], 'uniform'), least, most, {})
}

function range(
  kind: 'uniform' | 'zipfian',
  least: number,
  most: number,
  fields: { readonly fields?: number },
): LengthLaw {
  if (kind === 'uniform') return { kind, least, most, ...fields }
  return { kind, least, most, theta: 0.99, law: 'ycsb', ...fields }
}

/** The bounds of a number. */
interface Bounds {
  readonly least: number
  readonly most?: number | undefined
  readonly isWhole?: boolean | undefined
}

/** Reads properties with their types. A wrong value is an error that names the property and its file. */
export class PropertyReader {
  readonly #properties: Properties

  constructor(properties: Properties) {
    this.#properties = properties
  }

  has(name: string): boolean {
    return this.#properties.has(name)
  }

  text(name: string, otherwise: string): string {
    return this.#properties.get(name)?.value.trim() ?? otherwise
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` */
  whole(name: string, otherwise: number, least: number, most?: number): number {
    return this.#number(name, otherwise, { least, most, isWhole: true })
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` */
  number(name: string, otherwise: number, least: number, most?: number): number {
    return this.#number(name, otherwise, { least, most })
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` */
  oneOf<const T extends string>(name: string, known: readonly T[], otherwise: NoInfer<T>): T {
    const given = this.text(name, otherwise)
    const found = known.find((one) => one === given)
    if (found === undefined)
      throw this.wrong(name, `must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`)
    return found
  }

  flag(name: string, otherwise: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], otherwise ? 'true' : 'false') === 'true'
  }

  /** An error about a property: where it is from, what it must be, and what it is. */
  wrong(name: string, must: string): StoreError {
    const property = this.#properties.get(name)
    const place = property === undefined ? '' : ` (${property.source})`
    const got = property === undefined ? 'is not set' : `is '${property.value.slice(0, 100)}'`
    return invalidArgument(`The property ${name}${place} ${must}, but it ${got}.`)
  }

  #number(
    name: string,
    otherwise: number,
    { least, most = Number.MAX_SAFE_INTEGER, isWhole }: Bounds,
  ): number {
    const text = this.text(name, String(otherwise))
    const number = text === '' ? Number.NaN : Number(text)
    const isRight = number >= least && number <= most && (isWhole !== true || Number.isInteger(number))
    if (isRight) return number
    const upTo = most === Number.MAX_SAFE_INTEGER ? ` of ${least} or more` : ` from ${least} to ${most}`
    throw this.wrong(name, `must be a ${isWhole === true ? 'whole ' : ''}number${upTo}`)
  }
}
