import type { Bytes, Store, StoreError } from '@unikv/core'
import { isShared, openBy, signShared } from '../../drive/opened.ts'
import type { StoreOpener, StoreTarget } from '../../run/target.ts'
import { wrong } from '../../study/faults.ts'
import { atLevels, type LevelPair, noLevel, pairText } from './levels.ts'

/** A store as one reader sees it. */
export interface ReadingPlace {
  readonly name: string
  readonly store: Store<Bytes>
}

/** Where the records of the study are in a store. */
export interface StudyPlace {
  readonly path: readonly string[]
  readonly timeoutMs: number
}

/** The reader that every store has: another connection to the same URL. */
const ownReader = 'other connection'

/** A replica may show the sign of the store later: each look takes half a second. */
const signTries = 6

/** Connections of readers and of levels, apart from each other: a level that waits for replicas holds up the others otherwise. */
export class Connections {
  readonly #placeOf: (target: StoreTarget) => StudyPlace
  /** Stores that another connection shows, too. One in the memory of this process has no second connection. */
  readonly #shared = new Set<StoreTarget>()
  #writers = new Map<string, Store<Bytes>>()
  #readers = new Map<StoreTarget, readonly ReadingPlace[]>()
  #opened: Store<Bytes>[] = []

  constructor(placeOf: (target: StoreTarget) => StudyPlace) {
    this.#placeOf = placeOf
  }

  /**
   * Open the readers of a store, and see that they show its records.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if a reader shows other records
   */
  async prepare(target: StoreTarget): Promise<void> {
    await signShared(atLevels(target.store, anyLevel, this.#placeOf(target)))
    const { opener } = target
    if (opener !== undefined && (await this.#shows(target, await this.#open(opener()), 1)))
      this.#shared.add(target)
    const [, ...named] = await this.readers(target)
    for (const { name, store } of named)
      if (!(await this.#shows(target, store, signTries))) throw notShown(target.name, name)
  }

  /** The store for the writes of a pair, and for its throughput. */
  async writer(target: StoreTarget, pair: LevelPair): Promise<Store<Bytes>> {
    const key = `${target.name} ${pairText(pair)}`
    const found = this.#writers.get(key) ?? (await this.#again(target))
    this.#writers.set(key, found)
    return found
  }

  async readers(target: StoreTarget): Promise<readonly ReadingPlace[]> {
    const found = this.#readers.get(target) ?? (await this.#openReaders(target))
    this.#readers.set(target, found)
    return found
  }

  /** Give up all of them; the next calls open others. */
  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = []
    this.#writers = new Map()
    this.#readers = new Map()
    const ended = await Promise.allSettled(opened.map((store) => store.close()))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  async #openReaders(target: StoreTarget): Promise<readonly ReadingPlace[]> {
    const places: ReadingPlace[] = [{ name: ownReader, store: await this.#again(target) }]
    for (const { name, opener } of target.readers ?? [])
      places.push({ name, store: await this.#open(opener()) })
    return places
  }

  /** Another connection to a store, or the only one that there can be. */
  async #again(target: StoreTarget): Promise<Store<Bytes>> {
    const { opener, store } = target
    return opener !== undefined && this.#shared.has(target) ? this.#open(opener()) : store
  }

  async #shows(target: StoreTarget, store: Store<Bytes>, tries: number): Promise<boolean> {
    const keys = atLevels(store, anyLevel, this.#placeOf(target))
    for (let turn = 0; turn < tries; turn++) if (await isShared(keys)) return true
    return false
  }

  async #open(opener: StoreOpener): Promise<Store<Bytes>> {
    const store = await openBy(opener)
    this.#opened.push(store)
    return store
  }
}

const anyLevel: LevelPair = { write: noLevel, read: noLevel }

/** All readers of a store, before they are opened. */
export function readersOf({
  url,
  readers = [],
}: Pick<StoreTarget, 'url' | 'readers'>): readonly { readonly name: string; readonly url: string }[] {
  return [{ name: ownReader, url }, ...readers.map((one) => ({ name: one.name, url: one.url }))]
}

function notShown(store: string, reader: string): StoreError {
  const message = `${store}: the reader '${reader}' does not show what is written to the store, not even after 3 s. Check that its URL is a place of the same data.`
  return wrong(message)
}
