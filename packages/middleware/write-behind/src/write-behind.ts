import {
  type BatchCapability,
  type Bytes,
  type Capabilities,
  capabilityRanks,
  type Layer,
  layer,
  type Store,
  StoreError,
  toStoreError,
} from '@unikv/core'
import {
  callOptions,
  checkMs,
  checkOptions,
  endOf,
  levelsAbove,
  lostWrites,
  type OptionNames,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { journalRecordBytes } from './journal-record.ts'
import { invalid, type WriteBehindOptions, type WriteBehindSettings, writeBehindSettings } from './options.ts'
import { newCounters, type Sizes, type WriteBehindStats } from './stats.ts'
import { WriteQueue } from './write-queue.ts'

/** Capabilities that a queue of writes changes: the store can check and compute nothing any more. */
export interface WriteBehindCapabilities {
  readonly conditionalWrite: false
  readonly touch: false
  readonly increment: false
  readonly existed: false
  readonly batch: BatchCapability
  readonly maxValueBytes: number
  readonly durability: Capabilities['durability']
  readonly isolation: 'eventual'
  readonly consistency: readonly string[]
  readonly sync: 'none'
}

/** How long `flush` waits. */
export interface FlushOptions {
  /** In milliseconds. @default 30,000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

const flushNames: OptionNames<FlushOptions> = { timeoutMs: true, signal: true }

/** A queue of writes: a layer, and the handle to look at it. */
export interface WriteBehindLayer extends Layer<Bytes, Bytes, WriteBehindCapabilities> {
  /**
   * Resolves when all that was acknowledged before is in the store. The queue goes on by itself, also if this fails.
   *
   * @throws {StoreError} `TIMEOUT`, `ABORTED`; the error of the store for a write that it refused for good meanwhile
   */
  flush(options?: FlushOptions): Promise<void>
  /** Statistics since it was created, over all stacks that it is in. */
  stats(): WriteBehindStats
}

/**
 * Answer writes when they are in a queue (in memory, or in a `journal` that outlives the process), and bring them to the
 * store later: in batches, in the order of each key, of several waiting writes of a key the last alone. Reads see what is
 * queued. It takes bytes: place it below the codec, next to the store.
 *
 * Writes of others to the same keys may be overwritten by what is still queued here.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, and at composing over a sealed store with a journal that is not
 */
export function writeBehind(options: WriteBehindOptions = {}): WriteBehindLayer {
  const given = writeBehindSettings(options)
  /** Caches above, which keep nothing that is lost. */
  const caches = new Set<(key: string) => unknown>()
  const onLost: WriteBehindSettings['onLost'] = (mutation, error) => {
    for (const forget of caches) forget(mutation.key)
    return given.onLost(mutation, error)
  }
  const settings = { ...given, onLost }
  const counters = newCounters()
  const queues = new Set<WriteQueue>()
  let isUsed = false
  const { name, plan } = layer<Bytes, Bytes, WriteBehindCapabilities>('writeBehind', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: (inner) => changed(inner, settings),
    facts: settings.background && lostWrites.with((hear) => heardBy(caches, hear)),
    wrap: (inner) => {
      checkUse(inner, settings, isUsed)
      isUsed = true
      const named = { ...settings, dataset: settings.dataset ?? datasetNameOf(inner) }
      const made = new WriteQueue(inner, maxValueBytesOf(inner.capabilities, settings), named, counters)
      queues.add(made)
      return {
        read: (reads, call) => made.read(reads, call),
        write: (mutations, call) => made.write(mutations, call),
        scan: (range, call) => made.scan(range, call),
        close: () => made.close().finally(() => queues.delete(made)),
      }
    },
  })
  return Object.freeze({
    name,
    plan,
    flush: async (settings: FlushOptions = {}) => {
      checkOptions('flush', settings, flushNames, 'INVALID_ARGUMENT')
      const { timeoutMs = 30_000, signal } = settings
      checkMs({ timeoutMs }, { code: 'INVALID_ARGUMENT' })
      const deadlineAt = performance.now() + timeoutMs
      const over = endOf(callOptions({ deadlineAt, signal }), false)
      if (over !== undefined) throw toStoreError(over, { operation: 'flush', store: 'writeBehind' })
      const each = Array.from(queues, (one) => one.flush(callOptions({ deadlineAt, signal })))
      await Promise.all(each).catch((error: unknown) => {
        throw toStoreError(error, { operation: 'flush', store: 'writeBehind' })
      })
    },
    stats: () => ({ ...counters, ...sizeOf(queues) }),
  })
}

function heardBy<T>(listeners: Set<T>, one: T): () => void {
  listeners.add(one)
  return () => void listeners.delete(one)
}

function changed(inner: Capabilities, settings: WriteBehindSettings): WriteBehindCapabilities {
  return {
    conditionalWrite: false,
    touch: false,
    increment: false,
    existed: false,
    batch: { ...inner.batch, atomicity: 'none' },
    maxValueBytes: maxValueBytesOf(inner, settings),
    durability: durabilityOf(inner, settings),
    isolation: 'eventual',
    consistency: levelsAbove(inner),
    sync: 'none',
  }
}

/** An acknowledged write is first in the queue alone, then in the store alone: the weaker counts. */
function durabilityOf(
  { durability }: Capabilities,
  { background, journal }: WriteBehindSettings,
): Capabilities['durability'] {
  if (background === undefined) return durability
  if (journal === undefined) return 'memory'
  const ranks = capabilityRanks('durability')
  const { durability: ofJournal } = journal.capabilities
  return ranks.indexOf(ofJournal) < ranks.indexOf(durability) ? ofJournal : durability
}

/** A record of the journal holds key and value. */
function maxValueBytesOf(
  { maxValueBytes, maxKeyBytes }: Capabilities,
  { journal }: WriteBehindSettings,
): number {
  if (journal === undefined) return maxValueBytes
  return Math.min(maxValueBytes, journal.capabilities.maxValueBytes - journalRecordBytes - maxKeyBytes)
}

/** The store's own name of its dataset; nothing if core has made up a name, which the next process would not know. */
function datasetNameOf({ dataset }: Store<Bytes>): string {
  return dataset === undefined || dataset.startsWith('#') ? '' : dataset
}

/** Least `maxValueBytes` that a store may declare. */
const leastValueBytes = 1_024

function checkUse(inner: Store<Bytes>, settings: WriteBehindSettings, isUsed: boolean): void {
  const { journal, plaintext } = settings
  if (journal === undefined) return
  if (isUsed)
    throw invalid(
      'writeBehind() with a journal can be in only one stack. Create one for each stack, each with its own namespace.',
    )
  if (maxValueBytesOf(inner.capabilities, settings) < leastValueBytes)
    throw invalid(`${journal.name} does not allow values long enough for a journal of ${inner.name}.`)
  if (!inner.capabilities.sealed || journal.capabilities.sealed || plaintext === 'allowed') return
  throw new StoreError(
    'INVALID_CONFIG',
    `writeBehind: the journal would keep plain text of a sealed store in ${journal.name}: put it below the encryption, encrypt the journal too, or say plaintext: 'allowed'.`,
  )
}

function sizeOf(queues: ReadonlySet<WriteQueue>): Sizes {
  let queued = 0
  let queuedBytes = 0
  let inDoubt = 0
  for (const { size } of queues) {
    queued += size.queued
    queuedBytes += size.queuedBytes
    inDoubt += size.inDoubt
  }
  return { queued, queuedBytes, inDoubt }
}
