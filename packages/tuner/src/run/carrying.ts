import { StoreError } from '@unikv/core'
import { AbortController, clearTimeout, isError, setTimeout } from '@unikv/core/platform'
import type { Action, State } from '../log/action.ts'
import type { Kept } from '../log/tuner-log.ts'
import type { Tactic, TunedStore } from '../tactic.ts'
import type { CourseParts } from './parts.ts'
import { withinTime } from './within-time.ts'

/** A tactic whose time is over has so long to end. */
const graceMs = 10_000
/** A change that cannot be taken back is tried so often, first after five seconds, then after twice as long each time. */
const mostTries = 11
const firstWaitMs = 5000

/** How often the present step of an action was tried before. */
function triesOf({ steps, state }: Action): number {
  return steps.length - 1 - Math.max(0, steps.findLastIndex((step) => step.state !== state) + 1)
}

/** Whether it is time to try again what failed before. A clock that was set back does not make it wait. */
export function isDue(action: Action, now: number): boolean {
  const lastAt = action.steps.at(-1)?.at ?? 0
  const tries = triesOf(action)
  return tries === 0 || now < lastAt || now >= lastAt + firstWaitMs * 2 ** (tries - 1)
}

/** Keeps the next state of an action. */
export type Step = (
  kept: Kept,
  state: State,
  changed: Partial<Action>,
  note?: string,
) => Promise<Kept | undefined>

/** Carries changes out beside the looks, one at a time, each within its time. A process that takes over begins with it anew. */
export class Carrying {
  readonly #parts: CourseParts
  readonly #step: Step
  readonly #end = new AbortController()
  #present: Promise<void> | undefined

  constructor(parts: CourseParts, step: Step) {
    this.#parts = parts
    this.#step = step
  }

  /** Aborts when this is closed. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  carryOut(kept: Kept): void {
    this.#carry(async () => {
      const { action } = kept
      let took: string
      try {
        took = await this.#within(action, (tactic, at) => tactic.carryOut(action.change, at))
      } catch (error) {
        return this.#failed(kept, error)
      }
      // Outside: the change stays when only the log cannot be written.
      const next = await this.#step(kept, 'checking', { isOn: true, turnedAt: this.#parts.clock() }, took)
      if (next === undefined) await this.#withdraw(action)
    })
  }

  /** Nothing stays half done. */
  async #failed(kept: Kept, error: unknown): Promise<void> {
    const { action } = kept
    if (this.#end.signal.aborted) return // the next process goes on
    try {
      await this.#within(action, (tactic, at) => tactic.undo(action.change, at))
    } catch (second) {
      return this.#notTakenBack(kept, `${messageOf(error)} It could not be taken back: ${messageOf(second)}`)
    }
    await this.#step(kept, 'failed', { isOn: false }, messageOf(error))
  }

  /** It is tried again some times, the last one after an hour and a half; then the owner must see to it. */
  async #notTakenBack(kept: Kept, why: string): Promise<void> {
    const { state } = kept.action
    if (this.#end.signal.aborted) return
    if (triesOf(kept.action) + 1 < mostTries) await this.#step(kept, state, {}, why)
    else
      await this.#step(kept, 'failed', { isOn: false }, `${why} It is not tried again: see to it yourself.`)
  }

  undo(kept: Kept): void {
    this.#carry(async () => {
      const { action } = kept
      let took: string
      try {
        took = await this.#within(action, (tactic, at) => tactic.undo(action.change, at))
      } catch (error) {
        return this.#notTakenBack(kept, `It could not be taken back: ${messageOf(error)}`)
      }
      await this.#step(kept, 'undone', { isOn: false }, took)
    })
  }

  /** Turn a change on or off while it is checked. */
  turn(kept: Kept, isOn: boolean, changed: Partial<Action>): void {
    this.#carry(async () => {
      const { action } = kept
      try {
        await this.#within(action, (tactic, at) => tactic[isOn ? 'carryOut' : 'undo'](action.change, at))
      } catch (error) {
        if (this.#end.signal.aborted) return
        const why = `it could not be turned ${isOn ? 'on' : 'off'} again: ${messageOf(error)}`
        return void (await this.#step(kept, 'undoing', {}, why))
      }
      await this.#parts.log.change(kept, { ...changed, isOn, turnedAt: this.#parts.clock() })
    })
  }

  /** Another process went on with the action, as this one was thought to be gone: what that one took back stays so. */
  async #withdraw({ id, change }: Action): Promise<void> {
    const { action } = await this.#parts.log.named(id)
    if (['undone', 'failed', 'rejected', 'lapsed'].includes(action.state))
      await this.#within(action, (tactic, at) => tactic.undo(change, at))
  }

  /** Whether a change is being made or taken back now. */
  get isBusy(): boolean {
    return this.#present !== undefined
  }

  /** Resolves when nothing is being carried out. */
  async settled(): Promise<void> {
    await this.#present
  }

  stop(): void {
    this.#end.abort()
  }

  async close(): Promise<void> {
    this.stop()
    await this.#present
  }

  #carry(run: () => Promise<void>): void {
    if (this.#present !== undefined || this.#end.signal.aborted) return
    this.#present = run()
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted) this.#parts.onError(error)
      })
      .finally(() => {
        this.#present = undefined
      })
  }

  /** Run a part of a tactic within its time. Returns how long it took, in words. */
  async #within(action: Action, run: (tactic: Tactic, at: TunedStore) => Promise<void>): Promise<string> {
    const tactic = this.#parts.tactics.find(({ name }) => name === action.tactic)
    const place = this.#parts.placeOf(action.store)
    if (tactic === undefined || place === undefined)
      throw new StoreError(
        'INVALID_CONFIG',
        `This program has no ${tactic === undefined ? `tactic ${action.tactic}` : `store ${action.store}`} any more.`,
      )
    const [limit, patience] = [new AbortController(), new AbortController()]
    const end = (): void => {
      limit.abort()
      setTimeout(() => patience.abort(), graceMs).unref()
    }
    const timer = setTimeout(end, tactic.limitMs)
    this.#end.signal.addEventListener('abort', end, { once: true })
    const startedAt = this.#parts.clock()
    try {
      const running = async (): Promise<void> => run(tactic, { ...place, signal: limit.signal })
      await withinTime(running, tactic.limitMs + graceMs, patience.signal)
    } catch (error) {
      if (!limit.signal.aborted || this.#end.signal.aborted) throw error
      throw new StoreError('TIMEOUT', `It took longer than ${tactic.limitMs / 1000} s.`, { cause: error })
    } finally {
      clearTimeout(timer)
      this.#end.signal.removeEventListener('abort', end)
    }
    return `took ${((this.#parts.clock() - startedAt) / 1000).toFixed(1)} s`
  }
}

function messageOf(error: unknown): string {
  const text = isError(error) ? error.message : String(error)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
