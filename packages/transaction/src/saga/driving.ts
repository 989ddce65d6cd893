import { newVersion } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { AbortController, AbortSignal, agingClock, isError, pause } from '@unikv/core/platform'
import { isCode } from '../log/log.ts'
import type { SagaPlan, SagaStep, StepCall } from './options.ts'
import type { FoundSaga, SagaRecord, SagaRecords } from './record.ts'

/** Longest message of an error that is kept. */
const mostText = 500

/** The parts that all sagas of one kind share. */
export interface SagaParts {
  readonly records: SagaRecords
  readonly steps: readonly SagaStep<unknown>[]
  readonly plan: SagaPlan
}

/** One saga, in the hands of one process at a time: each step is written down before the next one begins. */
export class Driving {
  readonly #id: string
  readonly #parts: SagaParts
  readonly #by = newVersion()
  #found: FoundSaga
  /** Until then no other process has taken it, by the clock of this one. */
  #sureUntil = 0
  readonly #lost = new AbortController()
  #writing: Promise<unknown> = Promise.resolve()

  constructor(id: string, found: FoundSaga, parts: SagaParts) {
    this.#id = id
    this.#found = found
    this.#parts = parts
  }

  /** Take it, and go on with it until it ends, or the signal is aborted, or another process has it. */
  async drive(signal: AbortSignal): Promise<void> {
    if (!(await this.#write({ by: this.#by }))) return
    const over = new AbortController()
    const renewing = this.#renewing(over.signal)
    try {
      while (!signal.aborted && this.#isHeld && isOpen(this.#found.value)) await this.#step(signal)
    } finally {
      over.abort()
      await renewing
      if (this.#isHeld && isOpen(this.#found.value)) await this.#write({ by: undefined }).catch(() => {})
    }
  }

  get #isHeld(): boolean {
    return !this.#lost.signal.aborted
  }

  /** One attempt at the step that comes next. */
  async #step(signal: AbortSignal): Promise<void> {
    // A process that was stopped must not begin what another one may have begun.
    if (agingClock() >= this.#sureUntil && !(await this.#write({}))) return
    const { state, at } = this.#found.value
    const step = this.#parts.steps[at] as SagaStep<unknown>
    const ended = await this.#attempt(step).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    if ('error' in ended) return this.#fail(step, ended.error, signal)
    try {
      await this.#write(state === 'doing' ? this.#done(step, ended.result) : this.#undone())
    } catch (error) {
      if (!isRefusal(error)) throw error
      await this.#fail(step, error, signal)
    }
  }

  async #fail(step: SagaStep<unknown>, error: unknown, signal: AbortSignal): Promise<void> {
    const { plan } = this.#parts
    const failed = this.#found.value.failed + 1
    if (this.#found.value.state === 'doing' && failed >= plan.attempts) {
      const why = textOf(error).slice(0, mostText)
      await this.#write({ state: 'undoing', failed: 0, failedAt: step.name, why })
      return
    }
    if (await this.#write({ failed })) await pause(plan.retryMs(failed), { signal })
  }

  #undone(): Partial<SagaRecord> {
    const { at } = this.#found.value
    return at === 0 ? { state: 'undone', failed: 0 } : { at: at - 1, failed: 0 }
  }

  #done({ name }: SagaStep<unknown>, result: unknown): Partial<SagaRecord> {
    const { at, results } = this.#found.value
    return {
      at: at + 1,
      failed: 0,
      ...(result !== undefined && { results: { ...results, [name]: result } }),
      ...(at + 1 === this.#parts.steps.length && { state: 'done' }),
    }
  }

  async #attempt(step: SagaStep<unknown>): Promise<unknown> {
    const { stepMs } = this.#parts.plan
    const { state, input, results } = this.#found.value
    const ended = new AbortController()
    const late = new AbortController()
    const call: StepCall<unknown> = {
      id: this.#id,
      input,
      results,
      key: `${this.#id} ${step.name}`,
      signal: AbortSignal.any([late.signal, this.#lost.signal]),
    }
    const over = pause(stepMs, { signal: ended.signal }).then(() => {
      if (ended.signal.aborted) return undefined
      late.abort()
      throw new StoreError('TIMEOUT', `The step did not end within ${stepMs} ms (stepMs).`)
    })
    try {
      const work = async (): Promise<unknown> => (state === 'doing' ? step.run(call) : step.undo?.(call))
      return await Promise.race([work(), over])
    } finally {
      ended.abort()
    }
  }

  async #renewing(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(this.#parts.plan.leaseMs / 4, { signal })
      if (signal.aborted || !this.#isHeld) return
      await this.#write({}).catch(() => {})
    }
  }

  /** Write a change down, after those before. Resolves to whether the saga is still held. */
  #write(change: Partial<SagaRecord>): Promise<boolean> {
    const mine = this.#writing.then(() => this.#replace(change))
    this.#writing = mine.catch(() => {})
    return mine
  }

  /** Errors of the store are tried again for a lease. */
  async #replace(change: Partial<SagaRecord>): Promise<boolean> {
    const { records, plan } = this.#parts
    const { value, version } = this.#found
    const until = agingClock() + plan.leaseMs
    for (;;) {
      const askedAt = agingClock()
      try {
        const written = await records.write(this.#id, { ...value, ...change }, version)
        return this.#took(written, askedAt)
      } catch (error) {
        if (isRefusal(error) || agingClock() > until) throw error
      }
      await pause(Math.min(50, plan.leaseMs / 10))
      const found = await records.read(this.#id).catch(() => undefined)
      // The answer was lost: this process alone writes so.
      if (found !== undefined && found.version !== version)
        return this.#took(found.value.by === this.#by ? found : undefined, askedAt)
    }
  }

  #took(found: FoundSaga | undefined, askedAt: number): boolean {
    if (found === undefined) this.#lost.abort()
    else {
      this.#found = found
      this.#sureUntil = askedAt + 0.75 * this.#parts.plan.leaseMs
    }
    return found !== undefined
  }
}

function textOf(error: unknown): string {
  try {
    return isError(error) ? error.message : String(error)
  } catch {
    return 'An object without a text was thrown.'
  }
}

/** Whether the store cannot take a value, however often it is asked. */
function isRefusal(error: unknown): boolean {
  return isCode(error, 'INVALID_VALUE') || isCode(error, 'VALUE_TOO_LARGE')
}

/** Whether a saga goes on. */
export function isOpen({ state }: SagaRecord): boolean {
  return state === 'doing' || state === 'undoing'
}
