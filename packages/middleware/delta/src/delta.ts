import {
  type BatchCapability,
  type Bytes,
  type CallOptions,
  type Capabilities,
  isEntry,
  isStoreError,
  type Layer,
  layer,
  type Page,
  type Read,
  type ReadResult,
  type ScanEntry,
  type ScanRange,
  type Store,
  StoreError,
  type Verbs,
} from '@unikv/core'
import { derive, isUserKey, Leftovers } from '@unikv/core/adapter'
import { wholeHeaderBytes } from './chain/formats.ts'
import { isPart } from './chain/parts.ts'
import { HeldParts } from './held-parts.ts'
import { Memory } from './memory.ts'
import { type DeltaOptions, type DeltaSettings, settingsOf } from './options.ts'
import { type Outcome, Reading } from './reading.ts'
import { type Counts, type DeltaStats, newCounts } from './stats.ts'
import { Writing } from './writing.ts'

/** The effect of the delta layer on capabilities: a record is no longer a value, and a batch may be written in two steps. */
export interface DeltaCapabilities {
  readonly touch: false
  readonly increment: false
  readonly documents: false
  readonly deltas: false
  readonly batch: BatchCapability & { readonly atomicity: 'none' }
  readonly sync: 'none'
}

/** The capabilities that the delta layer needs below. */
export interface DeltaNeeds {
  readonly conditionalWrite: true
}

/** A layer, and the handle to what it does. */
export interface DeltaLayer extends Layer<Bytes, Bytes, DeltaCapabilities, DeltaNeeds> {
  /** One for each stack that the layer is in. */
  stats(): readonly DeltaStats[]
}

/**
 * Values as what changed since they were last written: below the codec, above compression and encryption.
 *
 * ```ts
 * keyValue(store, [json(), delta(), compression({ withEncryption: true }), encryption({ dataset, keys })])
 * ```
 *
 * An update of a value that this process knows moves the change alone, in one round trip. A read of a value that it does
 * not know takes two, if the value has changed since it was written whole. The package's README tells when it pays.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, and at composing over a store without conditions, one
 * that evicts, or another delta layer
 */
export function delta(options: DeltaOptions = {}): DeltaLayer {
  const settings = settingsOf(options)
  const stacks: Stack[] = []
  const { name, plan } = layer<Bytes, Bytes, DeltaCapabilities, DeltaNeeds>('delta', {
    inner: 'bytes',
    outer: 'bytes',
    needs: { conditionalWrite: true },
    capabilities: (inner) => narrowed(inner, settings),
    wrap: (inner) => {
      checkBelow(inner)
      const stack = new Stack(inner, settings)
      stacks.push(stack)
      return stack.verbs()
    },
  })
  return Object.freeze({ name, plan, stats: () => stacks.map((stack) => stack.stats()) })
}

/** How long `close` waits for old parts to be removed, in milliseconds. */
const graceMs = 1_000

function narrowed(inner: Capabilities, settings: DeltaSettings): Partial<Capabilities> {
  return {
    touch: false,
    increment: false,
    documents: false,
    deltas: false,
    holds: [...(inner.holds ?? []), 'deltas'],
    batch: { ...inner.batch, atomicity: 'none' },
    maxValueBytes: maxValueBytesOf(inner, settings),
    sync: 'none',
  }
}

function maxValueBytesOf(inner: Capabilities, { maxOutputBytes }: DeltaSettings): number {
  return Math.max(0, Math.min(inner.maxValueBytes - wholeHeaderBytes, maxOutputBytes))
}

function checkBelow(inner: Store<Bytes>): void {
  const { capabilities, name } = inner
  if (capabilities.holds?.includes('deltas') === true)
    throw new StoreError('INVALID_CONFIG', 'The values are already deltas. Leave out one delta layer.', {
      store: name,
    })
  if (!capabilities.evicts) return
  const message = `${name} may evict records, and a delta is useless without its base. Leave out the delta layer.`
  throw new StoreError('INVALID_CONFIG', message, { store: name })
}

/** The layer in one stack. */
class Stack {
  readonly #inner: Store<Bytes>
  readonly #counts: Counts = newCounts()
  readonly #memory: Memory
  readonly #reading: Reading
  readonly #writing: Writing
  readonly #leftovers: Leftovers
  readonly #held: HeldParts

  constructor(inner: Store<Bytes>, settings: DeltaSettings) {
    const { capabilities } = inner
    const counts = this.#counts
    const memory = new Memory(settings.memoryBytes)
    const reading = new Reading(inner, settings, memory, counts)
    const leftovers = new Leftovers(inner, counts, settings.background)
    const held = new HeldParts(inner)
    const precisionMs = capabilities.ttl === false ? 0 : capabilities.ttl.precisionMs
    const { maxKeyBytes, maxValueBytes: maxRecordBytes, deltas = false } = capabilities
    const planned = { settings, maxKeyBytes, maxRecordBytes, precisionMs, deltas }
    const maxValueBytes = maxValueBytesOf(capabilities, settings)
    this.#inner = inner
    this.#memory = memory
    this.#reading = reading
    this.#leftovers = leftovers
    this.#held = held
    const { clock } = settings
    const parts = { inner, planned, maxValueBytes, reading, memory, leftovers, held, counts, clock }
    this.#writing = new Writing(parts)
  }

  verbs(): Verbs<Bytes> {
    return {
      read: (reads, call) => this.#read(reads, call),
      write: (mutations, call) => this.#writing.write(mutations, call),
      scan: (range, call) => this.#scan(range, call),
      close: () => this.#close(),
    }
  }

  stats(): DeltaStats {
    return { store: this.#inner.name, ...this.#counts, memoryBytes: this.#memory.bytes }
  }

  /** Reads that need no value, and records of other layers, pass as they are. */
  async #read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const values = reads.filter(isOfValue)
    if (values.length === reads.length) return (await this.#reading.values(reads, call)).map(resultOf)
    const others = reads.filter((read) => !isOfValue(read))
    const [found, passed] = await Promise.all([
      values.length === 0 ? [] : this.#reading.values(values, call),
      this.#inner.read(others, call),
    ])
    let [nextFound, nextPassed] = [0, 0]
    return reads.map((read) =>
      isOfValue(read) ? resultOf(found[nextFound++]) : withoutHead(read, passed[nextPassed++]),
    )
  }

  /** Parts are listed, so that they are cleared with their keys, but are nothing to those who want values. */
  async *#scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    for await (const page of this.#inner.scan(range, call))
      yield range.values ? await this.#page(page, call) : keysOf(page)
  }

  async #page(page: Page<Bytes>, call: CallOptions): Promise<Page<Bytes>> {
    const values = page.entries.filter(({ key, entry }) => isUserKey(key) && entry !== undefined)
    const asked = values.map(({ key }) => ({ key, passing: true }))
    const heads = values.map(({ entry }) => entry)
    const found = await this.#reading.resolve(asked, heads, derive(call, { sent: 'own' }))
    const results = new Map(values.map(({ key }, i) => [key, resultOf(found[i])]))
    const entries = page.entries.flatMap((listed): ScanEntry<Bytes>[] => {
      if (isPart(listed.key)) return []
      if (!results.has(listed.key)) return [listed]
      const entry = results.get(listed.key)
      return [{ key: listed.key, entry: isEntry(entry) || isStoreError(entry) ? entry : undefined }]
    })
    return { ...page, entries }
  }

  async #close(): Promise<void> {
    await this.#leftovers.ended(graceMs)
    this.#memory.clear()
    this.#held.clear()
    await this.#inner.close()
  }
}

function isOfValue({ key, head }: Read): boolean {
  return isUserKey(key) && head !== true
}

/** A record of this layer tells nothing to those who did not ask for its value. */
function withoutHead({ key, head }: Read, result: ReadResult<Bytes>): ReadResult<Bytes> {
  if (!isUserKey(key) || head !== true || !isEntry(result)) return result
  const { version, expiresAt, meta } = result
  return { notModified: true, version, expiresAt, meta }
}

function keysOf(page: Page<Bytes>): Page<Bytes> {
  return { ...page, entries: page.entries.map(({ key }) => ({ key })) }
}

function resultOf(outcome: Outcome): ReadResult<Bytes> {
  if (outcome === undefined || !('known' in outcome)) return outcome
  const { known, kept, meta } = outcome
  const { value, version, expiresAt } = known
  const own = kept ? new Uint8Array(value) : value
  return meta === undefined ? { value: own, version, expiresAt } : { value: own, version, expiresAt, meta }
}
