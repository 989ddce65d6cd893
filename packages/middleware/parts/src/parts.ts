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
import { derive, isUserKey, Leftovers, valueStreams } from '@unikv/core/adapter'
import { ownerOfManifest, partNameOf } from './keys.ts'
import {
  type Counts,
  type PartsOptions,
  type PartsSettings,
  type PartsStats,
  settingsOf,
  sizesOver,
} from './options.ts'
import { Reading, withoutValue } from './reading.ts'
import { Streams } from './streams/streams.ts'
import { Touching } from './touching.ts'
import { Writing } from './writing.ts'

/** The effect of the layer on capabilities: a record is no longer a value, and a batch is written in steps. */
export interface PartsCapabilities {
  readonly increment: false
  readonly documents: false
  readonly deltas: false
  readonly batch: BatchCapability & { readonly atomicity: 'none' }
  readonly sync: 'none'
}

/** The capabilities that the layer needs below. */
export interface PartsNeeds {
  readonly conditionalWrite: true
}

/** A layer, and the handle to what it does. */
export interface PartsLayer extends Layer<Bytes, Bytes, PartsCapabilities, PartsNeeds> {
  /** One for each stack that the layer is in. */
  stats(): readonly PartsStats[]
}

/**
 * Long values in several records, below the codec and above compression and encryption, so that stores with limits take values of any
 * size, and `readStream` and `writeStream` move them with a few parts in memory.
 *
 * ```ts
 * const files = keyValue(memcached(), [parts(), encryption({ dataset, keys })])
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, and at composing over a store without conditions, or another such layer
 */
export function parts(options: PartsOptions = {}): PartsLayer {
  const settings = settingsOf(options)
  const stacks: Stack[] = []
  const { name, plan } = layer<Bytes, Bytes, PartsCapabilities, PartsNeeds>('parts', {
    inner: 'bytes',
    outer: 'bytes',
    needs: { conditionalWrite: true },
    capabilities: (inner) => narrowed(inner, settings),
    facts: valueStreams.with((calls, inner) => new Streams(calls, inner, settings)),
    wrap: (inner) => {
      if (inner.capabilities.holds?.includes('parts') === true)
        throw new StoreError(
          'INVALID_CONFIG',
          'The values are already in parts. Leave out one parts layer.',
          {
            store: inner.name,
          },
        )
      const stack = new Stack(inner, settings)
      stacks.push(stack)
      return stack.verbs()
    },
  })
  return Object.freeze({ name, plan, stats: () => stacks.map((stack) => stack.stats()) })
}

/** How long `close` waits for old parts to be removed, in milliseconds. */
const graceMs = 1_000

function narrowed(inner: Capabilities, { maxValueBytes }: PartsSettings): Partial<Capabilities> {
  return {
    increment: false,
    documents: false,
    deltas: false,
    holds: [...(inner.holds ?? []), 'parts'],
    batch: { ...inner.batch, atomicity: 'none' },
    maxValueBytes,
    sync: 'none',
  }
}

/** The layer in one stack. */
class Stack {
  readonly #inner: Store<Bytes>
  readonly #counts: Counts = { split: 0, overtaken: 0, partsRemoved: 0, partsLeft: 0 }
  readonly #reading: Reading
  readonly #writing: Writing
  readonly #leftovers: Leftovers

  constructor(inner: Store<Bytes>, settings: PartsSettings) {
    const counts = this.#counts
    const reading = new Reading(inner, settings, counts)
    const leftovers = new Leftovers(inner, counts, settings.background)
    const sizes = sizesOver(inner.capabilities, settings)
    const touching = new Touching(inner)
    this.#inner = inner
    this.#reading = reading
    this.#leftovers = leftovers
    this.#writing = new Writing({ inner, settings, sizes, reading, leftovers, touching, counts })
  }

  verbs(): Verbs<Bytes> {
    return {
      read: (reads, call) => this.#read(reads, call),
      write: (mutations, call) => this.#writing.write(mutations, call),
      scan: (range, call) => this.#scan(range, call),
      close: () => this.#close(),
    }
  }

  stats(): PartsStats {
    return { store: this.#inner.name, ...this.#counts }
  }

  /** Records of other layers pass as they are, and so does what a stream asks for. */
  async #read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const asked = reads.map((read): Read => {
      const owner = ownerOfManifest(read.key)
      return owner === undefined ? read : { ...read, key: owner }
    })
    const found = await this.#inner.read(asked, call)
    const wanted = reads.flatMap(({ key, head }, i) => (isUserKey(key) && head !== true ? [i] : []))
    const owners = wanted.map((i) => (reads[i] as Read).key)
    const values = await this.#reading.values(
      owners,
      wanted.map((i) => found[i]),
      call,
    )
    const results = reads.map(({ key, head }, i) =>
      isUserKey(key) && head === true ? withoutValue(found[i]) : found[i],
    )
    for (const [n, i] of wanted.entries()) results[i] = values[n]
    return results
  }

  /** Parts are not listed: `clear` would take those of writers that have not written their record yet. */
  async *#scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    for await (const page of this.#inner.scan(range, call)) {
      const entries = page.entries.filter(({ key }) => partNameOf(key) === undefined)
      yield {
        ...page,
        entries: range.values ? await this.#valued(entries, call) : entries.map(({ key }) => ({ key })),
      }
    }
  }

  async #valued(
    entries: readonly ScanEntry<Bytes>[],
    call: CallOptions,
  ): Promise<readonly ScanEntry<Bytes>[]> {
    const users = entries.filter(({ key }) => isUserKey(key))
    const found = await this.#reading.values(
      users.map(({ key }) => key),
      users.map(({ entry }) => entry),
      derive(call, { sent: 'own' }),
    )
    const values = new Map(users.map(({ key }, i) => [key, found[i]]))
    return entries.flatMap((listed): ScanEntry<Bytes>[] => {
      if (!values.has(listed.key)) return [listed]
      const entry = values.get(listed.key)
      // A record that was deleted meanwhile is not there.
      return isEntry(entry) || isStoreError(entry) ? [{ key: listed.key, entry }] : []
    })
  }

  async #close(): Promise<void> {
    await this.#leftovers.ended(graceMs)
    await this.#inner.close()
  }
}
