import { StoreError } from '@unikv/core'
import { checkFactoryOptions, invalidConfig, kindOf, type OptionNames } from '@unikv/core/adapter'
import { rangeOf, type Share, whole } from '../../drive/share.ts'
import { fastRandom, subSeed } from '../../random/random.ts'
import { Draws } from '../model/draws.ts'
import { checkCounts, checkFlag, checkShare } from '../model/options.ts'

/** A part of the data that is there before a run: so many pieces, each made by itself, such as users with their items. */
export interface Population<Db> {
  readonly name: string
  /** The number of the first piece. */
  readonly first: number
  readonly count: number
  /** Make a piece. Its draws depend on the seed and its number alone. */
  fill(db: Db, number: number, draw: Draws): Promise<void>
  /** Read a piece again. Resolves to what is wrong with it; `undefined`: nothing. */
  check?(db: Db, number: number): Promise<string | undefined>
}

/** How data is made. */
export interface PopulateOptions {
  /** @default 42 */
  readonly seed?: number | undefined
  /** Pieces at the same time. @default 8 */
  readonly callers?: number | undefined
  /** Read each piece again. @default true */
  readonly check?: boolean | undefined
  /** The part of this process. @default all */
  readonly share?: Share | undefined
  readonly signal?: AbortSignal | undefined
  /** Told how many pieces are made, or read again, of how many. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

const names: OptionNames<PopulateOptions> = {
  seed: true,
  callers: true,
  check: true,
  share: true,
  signal: true,
  onProgress: true,
}

/**
 * Make the data of a benchmark, one population after the other, the pieces of each in parallel; then read it again.
 *
 * @throws {StoreError} `CORRUPT` with the first piece that is not as it was made; an error of the store; the reason of the signal
 */
export async function populate<Db>(
  db: Db,
  populations: readonly Population<Db>[],
  options: PopulateOptions = {},
): Promise<void> {
  checkFactoryOptions('populate', options, names)
  const { seed = 42, check = true, callers, share } = options
  checkCounts('populate', { callers }, 1)
  checkCounts('populate', { seed }, 0)
  checkFlag('check of populate()', check)
  checkShare('populate', share)
  if (!Array.isArray(populations))
    throw invalidConfig(`populate() takes a list of populations, got ${kindOf(populations)}.`)
  for (const { name, first, count } of populations)
    checkCounts('populate', { [`first of ${name}`]: first, [`count of ${name}`]: count }, 0)
  for (const population of populations)
    await eachPiece(population, options, (number) =>
      population.fill(db, number, new Draws(fastRandom(subSeed(seed, population.name, number)))),
    )
  for (const population of check ? populations : [])
    await eachPiece(population, options, (number) => checkPiece(db, population, number))
}

async function checkPiece<Db>(db: Db, population: Population<Db>, number: number): Promise<void> {
  const problem = await population.check?.(db, number)
  if (problem !== undefined)
    throw new StoreError('CORRUPT', `${population.name} ${number} is not as it was made: ${problem}.`)
}

async function eachPiece<Db>(
  { first, count }: Population<Db>,
  { callers = 8, share = whole, signal, onProgress }: PopulateOptions,
  work: (number: number) => Promise<void>,
): Promise<void> {
  const range = rangeOf({ first, count }, share)
  const end = range.first + range.count
  let next = range.first
  let done = 0
  const caller = async (): Promise<void> => {
    while (next < end) {
      signal?.throwIfAborted()
      await work(next++)
      onProgress?.(++done, range.count)
    }
  }
  const safely = (): Promise<void> =>
    caller().catch((error: unknown) => {
      next = end // the others begin nothing more
      throw error
    })
  const ended = await Promise.allSettled(Array.from({ length: Math.min(callers, range.count) }, safely))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
