import { checkMs, checkOptions, type OptionNames, ownSignal, StoreError } from '@unikv/core/adapter'
import {
  AbortController,
  type AbortSignal,
  agingClock,
  clearTimeout,
  isError,
  pause,
  setTimeout,
  unwatch,
  watch,
} from '@unikv/core/platform'
import { isCode } from '../log/log.ts'
import { Driving, isOpen, type SagaParts } from './driving.ts'
import { type SagaEnd, type SagaOptions, type SagaStep, sagaPlanOf } from './options.ts'
import { type FoundSaga, type SagaRecord, SagaRecords, type SagaStore } from './record.ts'

/** Settings of a run. */
export interface SagaSettings {
  /** How long to wait for the end, in milliseconds. @default 60,000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Counts of `resume`. */
export interface ResumedSagas {
  readonly done: number
  readonly undone: number
  /** Ids of those that did not end in time, with the reason. */
  readonly left: readonly { readonly id: string; readonly why: string }[]
}

/** Steps that are all done, or undone. */
export interface Saga<in I> {
  /**
   * Begin a saga, or go on with the one that has this id, whose input counts then. Resolves when it has ended, in this process or another one.
   *
   * @throws {StoreError} `TIMEOUT`, `ABORTED`: it goes on when it is run again, or resumed; what the store throws
   */
  run(id: string, input: I, settings?: SagaSettings): Promise<SagaEnd>
  /** The state of a saga; `undefined`: there is none, or it ended long ago. */
  state(id: string): Promise<'doing' | 'undoing' | 'done' | 'undone' | undefined>
  /**
   * Go on with all that have not ended, such as those of processes that were killed: at the start, or from time to time. Lists all sagas.
   *
   * @throws {StoreError} `UNSUPPORTED` for a store that cannot list
   */
  resume(settings?: SagaSettings): Promise<ResumedSagas>
}

const settingNames: OptionNames<SagaSettings> = { timeoutMs: true, signal: true }

/**
 * Steps over any services, which are all done or undone: each is written down in a KeyValue of its own before the next one begins, so any process can go on.
 *
 * ```ts
 * const trips = saga(keyValue(store, [json()]), [
 *   { name: 'flight', run: ({ input, key }) => bookFlight(input, key), undo: ({ key }) => cancelFlight(key) },
 *   { name: 'hotel', run: ({ input, key }) => bookHotel(input, key), undo: ({ key }) => cancelHotel(key) },
 * ])
 * const { state } = await trips.run('trip 17', { to: 'Oslo' })
 * ```
 *
 * A step that fails so often as `attempts` says is undone, and those before it, the last one first. An undoing that fails is tried again until it is done.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function saga<I>(store: SagaStore, steps: readonly SagaStep<I>[], options: SagaOptions = {}): Saga<I> {
  const plan = sagaPlanOf(steps, options)
  const records = new SagaRecords(store, plan.keepMs)
  return new StoredSaga<I>({ records, plan, steps: [...steps] as never })
}

class StoredSaga<I> implements Saga<I> {
  readonly #parts: SagaParts

  constructor(parts: SagaParts) {
    this.#parts = parts
  }

  run(id: string, input: I, settings: SagaSettings = {}): Promise<SagaEnd> {
    const begin = async (): Promise<FoundSaga | undefined> => {
      const steps = this.#parts.steps.map(({ name }) => name)
      const first: SagaRecord = { state: 'doing', input, steps, at: 0, results: {}, failed: 0 }
      return this.#parts.records.write(id, first, null)
    }
    return inTime('run', settings, (signal) => this.#ended(id, signal, begin))
  }

  async state(id: string): ReturnType<Saga<I>['state']> {
    return (await this.#parts.records.read(id))?.value.state
  }

  resume(settings: SagaSettings = {}): Promise<ResumedSagas> {
    return inTime('resume', settings, (signal) => this.#resumed(signal))
  }

  async #resumed(signal: AbortSignal): Promise<ResumedSagas> {
    const counts = { done: 0, undone: 0, left: [] as { id: string; why: string }[] }
    const goOn = async (id: string): Promise<void> => {
      const found = await this.#parts.records.read(id)
      if (found === undefined || !isOpen(found.value)) return
      const { state } = await this.#ended(id, signal, async () => undefined)
      counts[state]++
    }
    const under = new Set<Promise<void>>()
    for await (const id of this.#parts.records.ids()) {
      const one = goOn(id)
        .catch((error: unknown) => {
          counts.left.push({ id, why: isError(error) ? error.message : String(error) })
        })
        .finally(() => under.delete(one))
      under.add(one)
      if (under.size >= 16) await Promise.race(under)
    }
    await Promise.all(under)
    return counts
  }

  /** Go on until it has ended, or the time is over. A step that is under way goes on then, and is written down. */
  async #ended(
    id: string,
    signal: AbortSignal,
    begin: () => Promise<FoundSaga | undefined>,
  ): Promise<SagaEnd> {
    const work = this.#going(id, signal, begin)
    // It begins nothing any more, and says so.
    if (signal.aborted) return work
    let late = { handleEvent: (): void => {} }
    const over = new Promise<never>((_, reject) => {
      late = { handleEvent: () => reject(unended(id, signal)) }
    })
    watch(signal, late)
    try {
      return await Promise.race([work, over])
    } finally {
      unwatch(signal, late)
    }
  }

  /** Go on alone, or beside a process that has it. */
  async #going(
    id: string,
    signal: AbortSignal,
    begin: () => Promise<FoundSaga | undefined>,
  ): Promise<SagaEnd> {
    const { records, plan } = this.#parts
    let seen: { readonly version: string; readonly since: number } | undefined
    for (;;) {
      const askedAt = agingClock()
      const found = (await records.read(id)) ?? (await begin().catch(lostAnswer)) ?? (await records.read(id))
      if (found === undefined) throw new StoreError('UNAVAILABLE', `There is no saga ${id} any more.`)
      if (!isOpen(found.value)) return endOf(found.value)
      if (signal.aborted) throw unended(id, signal)
      this.#checkSteps(id, found.value)
      // Time counts by the clock of this process alone.
      const isOld = seen?.version === found.version && askedAt - seen.since >= plan.leaseMs
      if (seen?.version !== found.version) seen = { version: found.version, since: agingClock() }
      if (found.value.by === undefined || isOld) await new Driving(id, found, this.#parts).drive(signal)
      else await pause(Math.min(100, plan.leaseMs / 10), { signal })
    }
  }

  #checkSteps(id: string, { steps }: SagaRecord): void {
    const own = this.#parts.steps.map(({ name }) => name)
    if (own.length === steps.length && own.every((name, i) => name === steps[i])) return
    throw new StoreError(
      'INVALID_CONFIG',
      `Saga ${id} was begun with other steps: ${steps.join(', ')}. Keep them until it has ended.`,
    )
  }
}

/** The time of a call has a timer of its own: Node 20 may forget `AbortSignal.timeout` that only `AbortSignal.any` holds. */
async function inTime<R>(
  call: string,
  settings: SagaSettings,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  checkOptions(call, settings, settingNames, 'INVALID_ARGUMENT')
  const { timeoutMs = 60_000 } = settings
  checkMs({ timeoutMs }, { code: 'INVALID_ARGUMENT' })
  const own = ownSignal(settings.signal)
  const over = new AbortController()
  const told = { handleEvent: (): void => over.abort(own?.reason) }
  if (own?.aborted === true) told.handleEvent()
  watch(own, told)
  const late = new StoreError('TIMEOUT', `${call}() was not over within ${timeoutMs} ms (timeoutMs).`)
  const timer = setTimeout(() => over.abort(late), timeoutMs)
  try {
    return await work(over.signal)
  } finally {
    clearTimeout(timer)
    unwatch(own, told)
  }
}

function endOf({ state, results, failedAt = '', why = '' }: SagaRecord): SagaEnd {
  return state === 'done' ? { state, results } : { state: 'undone', failedAt, why }
}

function lostAnswer(error: unknown): undefined {
  if (!isCode(error, 'OUTCOME_UNKNOWN')) throw error
  return undefined
}

function unended(id: string, { reason }: AbortSignal): StoreError {
  const isLate = isCode(reason, 'TIMEOUT') || (isError(reason) && reason.name === 'TimeoutError')
  const message = `Saga ${id} has not ended yet. It goes on when it is run again, or resumed.`
  return new StoreError(isLate ? 'TIMEOUT' : 'ABORTED', message, { cause: reason })
}
