import { StoreError } from '@unikv/core'
import type { Properties } from './properties.ts'

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
    return new StoreError('INVALID_ARGUMENT', `The property ${name}${place} ${must}, but it ${got}.`)
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
