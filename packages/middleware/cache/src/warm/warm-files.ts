import {
  type Bytes,
  type CallOptions,
  isEntry,
  isStoreError,
  type Mutation,
  newVersion,
  type Read,
  StoreError,
} from '@unikv/core'
import { bounded, callOptions, releaseStore } from '@unikv/core/adapter'
import { chunkKey, manifestKey, type PlacedWarmSettings } from './warm-options.ts'
import { type ChunkPlace, decodeManifest, encodeManifest, type Manifest, mostChunks } from './warm-record.ts'

/** Until when, and whether at all, work may go on. */
export interface Limits {
  /** On the clock of `performance.now()`. */
  readonly deadlineAt: number
  readonly signal: AbortSignal
}

/** In one call. */
const fewChunks = 50

/** The records of a warm restart in their store. Each call settles in time; its error is a `StoreError`. */
export class WarmFiles {
  readonly #settings: PlacedWarmSettings
  readonly #clock: () => number

  constructor(settings: PlacedWarmSettings, clock: () => number) {
    this.#settings = settings
    this.#clock = clock
  }

  /** Manifest of the last save; `undefined` if there is none, `'refused'` if it is not a manifest of ours. */
  async manifest(limits: Limits): Promise<Manifest | undefined | 'refused'> {
    const { namespace, codec } = this.#settings
    const bytes = await this.#read(manifestKey(namespace), limits)
    if (bytes === undefined || bytes === 'refused') return bytes
    const manifest = await decodeManifest(bytes)
    return manifest?.namespace === namespace && manifest.codec === codec.name ? manifest : 'refused'
  }

  /** A chunk as bytes; `undefined` if there is none, `'refused'` if the store says that it is damaged. */
  chunk({ slot, index }: Omit<ChunkPlace, 'id'>, limits: Limits): Promise<Bytes | undefined | 'refused'> {
    return this.#read(chunkKey(this.#settings.namespace, slot, index), limits)
  }

  putChunk({ slot, index }: ChunkPlace, bytes: Bytes, limits: Limits): Promise<void> {
    return this.#put(chunkKey(this.#settings.namespace, slot, index), bytes, limits)
  }

  async putManifest(manifest: Manifest, limits: Limits): Promise<void> {
    await this.#put(manifestKey(this.#settings.namespace), await encodeManifest(manifest), limits)
  }

  /** Remove the chunks of a slot from `from` on. Where it is cut short, those that are left follow each other still. */
  async removeChunks(slot: number, from: number, limits: Limits): Promise<void> {
    let end = from
    while (end < mostChunks && (await this.#areSome(slot, end, limits))) end += fewChunks
    for (let next = end - fewChunks; next >= from; next -= fewChunks) {
      const mutations = this.#fewKeys(slot, next).map((key): Mutation<Bytes> => {
        return { type: 'delete', key, version: newVersion(this.#clock()) }
      })
      const results = await this.#call(true, limits, (call) => this.#settings.store.write(mutations, call))
      const failure = results.find((result) => isStoreError(result))
      if (failure !== undefined) throw failure
    }
  }

  close(): Promise<void> {
    return releaseStore(this.#settings.store)
  }

  async #areSome(slot: number, from: number, limits: Limits): Promise<boolean> {
    const reads = this.#fewKeys(slot, from).map((key): Read => ({ key, head: true }))
    const found = await this.#call(false, limits, (call) => this.#settings.store.read(reads, call))
    return found.some((one) => one !== undefined)
  }

  #fewKeys(slot: number, from: number): readonly string[] {
    const { namespace } = this.#settings
    return Array.from({ length: fewChunks }, (_, i) => chunkKey(namespace, slot, from + i))
  }

  async #read(key: string, limits: Limits): Promise<Bytes | undefined | 'refused'> {
    const [result] = await this.#call(false, limits, (call) => this.#settings.store.read([{ key }], call))
    if (result === undefined) return undefined
    if (!isStoreError(result)) return isEntry(result) ? result.value : 'refused'
    if (
      result.code === 'CORRUPT' ||
      result.code === 'AUTHENTICATION_FAILED' ||
      result.code === 'UNKNOWN_KEY_ID'
    )
      return 'refused'
    throw result
  }

  async #put(key: string, value: Bytes, limits: Limits): Promise<void> {
    const { store, maxAgeMs } = this.#settings
    const now = this.#clock()
    const ends = Math.ceil(now + maxAgeMs)
    const expiresAt = store.capabilities.ttl === false || ends >= 2 ** 48 ? undefined : ends
    const mutation: Mutation<Bytes> = { type: 'set', key, value, version: newVersion(now), expiresAt }
    const [result] = await this.#call(true, limits, (call) => store.write([mutation], call))
    if (isStoreError(result)) throw result
  }

  /** Ask the store, and wait for no longer than is allowed. */
  async #call<T>(isWrite: boolean, limits: Limits, ask: (call: CallOptions) => T | Promise<T>): Promise<T> {
    const call = callOptions(limits)
    try {
      return await bounded(
        call,
        isWrite,
        async () => ask(call),
        () => {
          call.settled = true
        },
      )
    } catch (error) {
      if (isStoreError(error)) throw error
      throw new StoreError(
        isWrite ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE',
        'The store of the warm restart failed.',
        {
          cause: error,
        },
      )
    }
  }
}
