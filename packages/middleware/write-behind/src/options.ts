import { type AnyStore, type Bytes, compose, layer, type Mutation, type Store, StoreError } from '@unikv/core'
import {
  any,
  background,
  heard,
  keyBytes,
  kindOf,
  label,
  ms,
  namespacePrefix,
  type OptionsOf,
  oneOf,
  quietClock,
  quietRandom,
  readOptions,
  whole,
} from '@unikv/core/adapter'

const table = {
  /**
   * Takes the work that goes on after the answer: `waitUntil` of a serverless platform, or `() => {}` in a process that
   * lives on. Its promise never rejects. Without it a write is answered when the store has it.
   */
  background: background(),
  /**
   * Where an acknowledged write outlives this process: any store of bytes, in layers if need be. It is closed with the
   * last stack that has it. @default acknowledged writes are in the memory of this process alone
   */
  journal: any<AnyStore>(),
  /** Where it lies in that store. Each process that runs at the same time needs its own. @default 'journal' */
  namespace: label(undefined),
  /**
   * Names the dataset whose writes the journal holds. Writes of another dataset are not replayed. Give it where the store
   * may move to another address. @default what the store says; one of your own that says nothing shares its journal with
   * all others of this kind in the same namespace
   */
  dataset: label(undefined),
  /** Say so if plain text of a sealed store may be in a journal that is not sealed. */
  plaintext: oneOf(undefined, ['allowed']),
  /** Most writes that go to the store together. @default 100 */
  maxBatch: whole(100),
  /** Longest that a write waits for others to go with; each time up to half of it less, at random. @default 20 */
  delayMs: ms(20, { least: 0 }),
  /** Most keys in the queue. @default 10,000 */
  maxQueued: whole(10_000),
  /**
   * Most bytes in the queue, and as many more for writes of the journal in doubt. One write that is larger is taken when the
   * queue is empty.
   *
   * @default 64 Mi
   */
  maxQueuedBytes: whole(67_108_864),
  /**
   * A write that finds the queue full: `'wait'` for room, at most to its deadline, which slows writers down to what the
   * store takes; or `'refuse'`, which is `OVERLOADED` at once.
   *
   * @default 'wait'
   */
  whenFull: oneOf('wait', ['wait', 'refuse']),
  /** First pause after a failure of the store; it doubles up to `retryCapMs`, and each is shortened at random. @default 50 */
  retryMs: ms(50),
  /** Longest pause between two attempts. @default 5,000 */
  retryCapMs: ms(5_000),
  /** Longest attempt to write to the store, or to the journal. @default 10,000 */
  timeoutMs: ms(10_000),
  /**
   * How long a write of the journal whose outcome is unknown may still take effect. So long its key leaves a small record
   * in the journal. `0` for a journal to which nothing comes late, `Infinity` if that is unknown. @default 1,000,000, as
   * Linux resends on a connection for up to 15 minutes
   */
  doubtMs: ms(undefined, { least: 0 }),
  /** How long `close` waits for the store to take what is queued. @default 5,000 */
  graceMs: ms(5_000, { least: 0 }),
  /**
   * Told each acknowledged write that the store refused for good, and of each key the newest one that `close` could not
   * bring to it: what that had replaced is lost with it. `mutation.key` is canonical. @default a warning of the process
   */
  onLost: onLost,
  /** Wall clock, for expiry. @default Date.now */
  clock: quietClock(),
  /** Uniform in [0, 1). @default Math.random */
  random: quietRandom(),
}

/** Settings of `writeBehind`. All durations are milliseconds. */
export interface WriteBehindOptions extends OptionsOf<typeof table> {}

/** Resolved settings. */
export type WriteBehindSettings = ReturnType<typeof writeBehindSettings>

/** Says, where a stack is made, what holds no bytes. */
const ofBytes = layer<Bytes, Bytes>('journal', { inner: 'bytes', outer: 'bytes', wrap: () => ({}) })

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function writeBehindSettings(options: WriteBehindOptions) {
  const given = readOptions('writeBehind', table, options)
  const { journal: givenJournal, namespace, doubtMs } = given
  if (givenJournal === undefined && namespace !== undefined)
    throw invalid(
      'namespace needs journal: it names the place of the journal. Add journal, or leave out namespace.',
    )
  if (givenJournal === undefined && doubtMs !== undefined)
    throw invalid(
      'doubtMs needs journal: it says how long that is in doubt. Give journal, or leave doubtMs away.',
    )
  const journal =
    givenJournal === undefined ? undefined : (compose(givenJournal, [ofBytes] as never) as Store<Bytes>)
  const settings = {
    ...given,
    journal,
    /** As it was given: another stack may have been given the same one. */
    givenJournal,
    namespace: namespace ?? 'journal',
    doubtMs: doubtMs ?? 1_000_000,
  }
  if (journal !== undefined) checkJournal(journal, settings)
  return settings
}

type OnLost = (mutation: Mutation<Bytes>, error: StoreError) => unknown

/** Its rejections are ignored. */
function onLost(given: OnLost | undefined = warn): OnLost {
  if (typeof given !== 'function')
    throw invalid(`onLost must be a function that takes a mutation and an error, got ${kindOf(given)}.`)
  return (mutation, error) => heard(given(mutation, error))
}

function checkJournal(
  { name, capabilities }: Store<Bytes>,
  { background, namespace }: { readonly background: unknown; readonly namespace: string },
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
