import { type AnyStore, type Bytes, compose, layer, type Mutation, type Store, StoreError } from '@unikv/core'
import {
  checkFactoryOptions,
  checkMs,
  checkName,
  checkOneOf,
  heard,
  keyBytes,
  namespacePrefix,
  type OptionNames,
  unfailing,
  unfailingNumbers,
  unfailingRandom,
} from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'

/** Settings of `writeBehind`. All durations are milliseconds. */
export interface WriteBehindOptions {
  /**
   * Takes the work that goes on after the answer: `waitUntil` of a serverless platform, or `() => {}` in a process that
   * lives on. Its promise never rejects. Without it a write is answered when the store has it.
   */
  readonly background?: ((work: Promise<unknown>) => unknown) | undefined
  /**
   * Where an acknowledged write outlives this process: any store of bytes, in layers if need be. It is closed with the
   * last stack that has it. @default acknowledged writes are in the memory of this process alone
   */
  readonly journal?: AnyStore | undefined
  /** Where it lies in that store. Each process that runs at the same time needs its own. @default 'journal' */
  readonly namespace?: string | undefined
  /**
   * Names the dataset whose writes the journal holds. Writes of another dataset are not replayed. Give it where the store
   * may move to another address. @default what the store says; one of your own that says nothing shares its journal with
   * all others of this kind in the same namespace
   */
  readonly dataset?: string | undefined
  /** Say so if plain text of a sealed store may be in a journal that is not sealed. */
  readonly plaintext?: 'allowed' | undefined
  /** Most writes that go to the store together. @default 100 */
  readonly maxBatch?: number | undefined
  /** Longest that a write waits for others to go with; each time up to half of it less, at random. @default 20 */
  readonly delayMs?: number | undefined
  /** Most keys in the queue. @default 10,000 */
  readonly maxQueued?: number | undefined
  /**
   * Most bytes in the queue, and as many more for writes of the journal in doubt. One write that is larger is taken when the
   * queue is empty.
   *
   * @default 64 Mi
   */
  readonly maxQueuedBytes?: number | undefined
  /**
   * A write that finds the queue full: `'wait'` for room, at most to its deadline, which slows writers down to what the
   * store takes; or `'refuse'`, which is `OVERLOADED` at once.
   *
   * @default 'wait'
   */
  readonly whenFull?: 'wait' | 'refuse' | undefined
  /** First pause after a failure of the store; it doubles up to `retryCapMs`, and each is shortened at random. @default 50 */
  readonly retryMs?: number | undefined
  /** Longest pause between two attempts. @default 5,000 */
  readonly retryCapMs?: number | undefined
  /** Longest attempt to write to the store, or to the journal. @default 10,000 */
  readonly timeoutMs?: number | undefined
  /**
   * How long a write of the journal whose outcome is unknown may still take effect. So long its key leaves a small record
   * in the journal. `0` for a journal to which nothing comes late, `Infinity` if nobody knows. @default 1,000,000, as
   * Linux resends on a connection for up to 15 minutes
   */
  readonly doubtMs?: number | undefined
  /** How long `close` waits for the store to take what is queued. @default 5,000 */
  readonly graceMs?: number | undefined
  /**
   * Told each acknowledged write that the store refused for good, and of each key the newest one that `close` could not
   * bring to it: what that had replaced is lost with it. `mutation.key` is canonical. @default a warning of the process
   */
  readonly onLost?: ((mutation: Mutation<Bytes>, error: StoreError) => unknown) | undefined
  /** Wall clock, for expiry. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined
}

/** Resolved settings. */
export interface WriteBehindSettings
  extends Resolved<Omit<WriteBehindOptions, 'journal' | 'background' | 'plaintext' | 'dataset'>>,
    Pick<Required<WriteBehindOptions>, 'background' | 'plaintext' | 'dataset'> {
  readonly journal: Store<Bytes> | undefined
  /** As it was given: another stack may have been given the same one. */
  readonly givenJournal: AnyStore | undefined
}

type Resolved<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }

/** Says, where a stack is made, what holds no bytes. */
const ofBytes = layer<Bytes, Bytes>('journal', { inner: 'bytes', outer: 'bytes', wrap: () => ({}) })

const optionNames: OptionNames<WriteBehindOptions> = {
  background: true,
  journal: true,
  namespace: true,
  dataset: true,
  plaintext: true,
  maxBatch: true,
  delayMs: true,
  maxQueued: true,
  maxQueuedBytes: true,
  whenFull: true,
  retryMs: true,
  retryCapMs: true,
  timeoutMs: true,
  doubtMs: true,
  graceMs: true,
  onLost: true,
  clock: true,
  random: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function writeBehindSettings(options: WriteBehindOptions): WriteBehindSettings {
  checkFactoryOptions('writeBehind', options, optionNames)
  const { journal } = options
  const settings = {
    background: unfailing(options.background),
    journal: journal === undefined ? undefined : (compose(journal, [ofBytes] as never) as Store<Bytes>),
    givenJournal: journal,
    namespace: options.namespace ?? 'journal',
    dataset: options.dataset,
    plaintext: options.plaintext,
    maxBatch: options.maxBatch ?? 100,
    delayMs: options.delayMs ?? 20,
    maxQueued: options.maxQueued ?? 10_000,
    maxQueuedBytes: options.maxQueuedBytes ?? 64 * 1024 * 1024,
    whenFull: options.whenFull ?? 'wait',
    retryMs: options.retryMs ?? 50,
    retryCapMs: options.retryCapMs ?? 5_000,
    timeoutMs: options.timeoutMs ?? 10_000,
    doubtMs: options.doubtMs ?? 1_000_000,
    graceMs: options.graceMs ?? 5_000,
    onLost: listened(options.onLost ?? warn),
    clock: unfailingNumbers('writeBehind', 'clock', options.clock, wallClock),
    random: unfailingRandom('writeBehind', options.random),
  }
  checkNumbers(settings)
  if (options.onLost !== undefined && typeof options.onLost !== 'function')
    throw invalid('onLost must be a function that takes a mutation and an error.')
  const { whenFull, background } = settings
  if (!['wait', 'refuse'].includes(whenFull)) throw invalid("whenFull must be 'wait' or 'refuse'.")
  checkName('writeBehind: dataset', settings.dataset)
  checkName('writeBehind: namespace', settings.namespace)
  checkOneOf('writeBehind: plaintext', settings.plaintext, ['allowed'])
  if (journal === undefined && options.namespace !== undefined)
    throw invalid(
      'namespace needs journal: it names the place of the journal. Add journal, or leave out namespace.',
    )
  if (journal === undefined && options.doubtMs !== undefined)
    throw invalid(
      'doubtMs needs journal: it says how long that is in doubt. Give journal, or leave doubtMs away.',
    )
  if (background !== undefined && typeof background !== 'function')
    throw invalid('background must be a function that takes a promise, such as waitUntil.')
  if (settings.journal !== undefined) checkJournal(settings.journal, settings)
  return settings
}

/** What it rejects with is its own affair. */
function listened(onLost: WriteBehindSettings['onLost']): WriteBehindSettings['onLost'] {
  return (mutation, error) => heard(onLost(mutation, error))
}

function checkNumbers(settings: Omit<WriteBehindSettings, 'journal'>): void {
  const { maxBatch, maxQueued, maxQueuedBytes, delayMs, retryMs, retryCapMs, timeoutMs } = settings
  const { doubtMs, graceMs } = settings
  for (const [name, count] of Object.entries({ maxBatch, maxQueued, maxQueuedBytes }))
    if (!Number.isSafeInteger(count) || count < 1) throw invalid(`${name} must be a whole number above 0.`)
  checkMs({ retryMs, retryCapMs, timeoutMs })
  checkMs({ delayMs, doubtMs, graceMs }, { least: 0 })
}

function checkJournal(
  { name, capabilities }: Store<Bytes>,
  { background, namespace }: Pick<WriteBehindSettings, 'background' | 'namespace'>,
): void {
  if (background === undefined)
    throw invalid(
      'a journal is of no use if writes are answered when the store has them. Give background, or leave the journal away.',
    )
  if (capabilities.scan === false)
    throw invalid(`${name} cannot list its keys, so a journal in it could not be read after a restart.`)
  if (capabilities.evicts) throw invalid(`${name} may evict records, which would lose writes of the journal.`)
  if (keyBytes(namespacePrefix([namespace])) + journalNameBytes > capabilities.maxKeyBytes)
    throw invalid(`namespace is longer than ${name} allows. Use a shorter one.`)
}

/** Longest key of a journal record, without its namespace: a hash, a dot, a generation. */
const journalNameBytes = 43 + 1 + 8

function warn(_mutation: Mutation<Bytes>, { code }: StoreError): void {
  process.emitWarning(
    `An acknowledged write was lost (${code}): the store below did not accept it. Use writeBehind({ onLost }) to keep such writes.`,
    { code: 'UNIKV_WRITE_LOST' },
  )
}

/** The error of a bad option. */
export function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', `writeBehind: ${message}`)
}
