import {
  type CallSettings,
  isConditionFailed,
  isStoreError,
  newVersion,
  StoreError,
  toStoreError,
  type Version,
  type WriteResult,
} from '@unikv/core'
import {
  type ByteSource,
  checkedCondition,
  checkedExpiry,
  type NewChange,
  type RecordCalls,
  type StreamWriteSettings,
} from '@unikv/core/adapter'
import { type Manifest, partHeaderBytes, partKeys, sealPart, writeManifest } from '../format.ts'
import { manifestKey, partKey } from '../keys.ts'
import { longKey, type PartsSettings, type Sizes } from '../options.ts'
import { partsExpireAt, stoodStill, withoutEffect } from '../splitting.ts'
import { cut, until } from './cut.ts'

/** Parts that are sent at a time, while further bytes are taken from the source. */
const sentAtATime = 3

/** Writes one value from a stream. */
export class StreamWriting {
  readonly #calls: RecordCalls
  readonly #sizes: Sizes
  readonly #settings: PartsSettings
  readonly #key: string
  readonly #asked: StreamWriteSettings
  readonly #id = newVersion()
  readonly #sending = new Set<Promise<void>>()
  #expiresAt: number | 'keep' | undefined
  #failure: StoreError | undefined
  #count = 0

  constructor(
    calls: RecordCalls,
    sizes: Sizes,
    settings: PartsSettings,
    key: string,
    asked: StreamWriteSettings,
  ) {
    this.#calls = calls
    this.#sizes = sizes
    this.#settings = settings
    this.#key = key
    this.#asked = asked
  }

  async write(source: ByteSource): Promise<Version | undefined> {
    const { store } = this.#calls
    const { clock } = this.#settings
    const beganAt = clock()
    checkedCondition(store, 'writeStream', this.#asked.ifVersion)
    this.#expiresAt = checkedExpiry(store, 'writeStream', this.#asked, clock)
    await this.#refuseEarly()
    try {
      const length = await this.#send(source)
      if (typeof length !== 'number') return await this.#commit({ key: this.#key, value: length })
      const stood = stoodStill(clock() - beganAt)
      if (stood !== undefined) throw stood
      const manifest = this.#manifest(length)
      return await this.#commit({ key: manifestKey(this.#key), value: writeManifest(this.#key, manifest) })
    } catch (error) {
      await Promise.allSettled(this.#sending)
      if (!(isStoreError(error) && error.code === 'OUTCOME_UNKNOWN')) await this.#remove()
      throw error
    }
  }

  /** Refuse a condition that does not hold already, before the value is sent. */
  async #refuseEarly(): Promise<void> {
    const { ifVersion } = this.#asked
    if (ifVersion === undefined) return
    const [found] = await this.#calls.read([{ key: this.#key, head: true }], this.#call())
    if (isStoreError(found)) throw found
    if ((found?.version ?? null) !== ifVersion) throw conditionFailed(found?.version)
  }

  /** Send all parts. Resolves to the length of the value, or to the value itself if it is short. */
  async #send(source: ByteSource): Promise<number | Uint8Array> {
    const held: Buffer[] = []
    let length = 0
    for await (const record of cut(until(source, this.#asked.signal), this.#sizes.size)) {
      length += record.length - partHeaderBytes
      held.push(record)
      if (length <= this.#sizes.above) continue
      const long = longKey(this.#key, this.#sizes)
      if (long !== undefined) throw long
      for (const one of held.splice(0)) await this.#sendPart(one)
    }
    if (length <= this.#sizes.above) return Buffer.concat(held.map((one) => one.subarray(partHeaderBytes)))
    await Promise.all(this.#sending)
    if (this.#failure !== undefined) throw this.#failure
    return length
  }

  /** Begin to send a part, once few enough are under way. */
  async #sendPart(record: Buffer): Promise<void> {
    const key = partKey(this.#key, this.#id, this.#count++)
    const value = sealPart(key, record)
    const change: NewChange = { type: 'set', key, value, expiresAt: partsExpireAt(this.#expiresAt) }
    const sending = this.#written(change).catch((error: StoreError) => {
      this.#failure ??= error
    })
    this.#sending.add(sending)
    void sending.then(() => this.#sending.delete(sending))
    if (this.#sending.size >= sentAtATime) await Promise.race(this.#sending)
    if (this.#failure !== undefined) throw this.#failure
  }

  async #written(change: NewChange): Promise<void> {
    try {
      const [result] = await this.#calls.write([change], this.#call())
      if (isStoreError(result)) throw result
    } catch (error) {
      throw withoutEffect(toStoreError(error, {}))
    }
  }

  async #commit(record: Pick<NewChange, 'key' | 'value'>): Promise<Version | undefined> {
    const { ifVersion, version } = this.#asked
    const expiry = this.#expiresAt === 'keep' ? { ttlMs: 'keep' } : { expiresAt: this.#expiresAt }
    const change: NewChange = { type: 'set', ...record, version, ifVersion, ...expiry }
    const [result] = (await this.#calls.write([change], this.#call())) as readonly [WriteResult]
    if (isStoreError(result)) throw result
    if (isConditionFailed(result)) throw conditionFailed(result.version)
    return result.version
  }

  /** Remove the parts that were sent. The others are left to `sweepParts`. */
  async #remove(): Promise<void> {
    const { maxItems } = this.#calls.store.capabilities.batch
    const keys = partKeys(this.#key, this.#manifest(this.#count * this.#sizes.size))
    for (let i = 0; i < keys.length; i += maxItems) {
      const changes = keys.slice(i, i + maxItems).map((key): NewChange => ({ type: 'delete', key }))
      try {
        await this.#calls.write(changes, { timeoutMs: this.#asked.timeoutMs })
      } catch {
        return
      }
    }
  }

  #manifest(length: number): Manifest {
    return { id: this.#id, length, size: this.#sizes.size }
  }

  #call(): CallSettings {
    const { timeoutMs, signal } = this.#asked
    return { timeoutMs, signal }
  }
}

function conditionFailed(version: Version | undefined): StoreError {
  const message =
    'The record does not have the expected version, so the value was not written. Read it again.'
  return new StoreError('CONDITION_FAILED', message, { version })
}
