import { StoreError } from '@unikv/core'
import { AbortController, clearTimeout, setTimeout } from '@unikv/core/platform'
import type { Action, State } from '../log/action.ts'
import type { Kept } from '../log/tuner-log.ts'
import type { Tactic, TunedStore } from '../tactic.ts'
import type { CourseParts } from './parts.ts'

/** Keeps the next state of an action. */
type Step = (kept: Kept, state: State, changed: Partial<Action>, note?: string) => Promise<unknown>

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
      try {
        const took = await this.#within(action, (tactic, at) => tactic.carryOut(action.change, at))
        const next = await this.#step(kept, 'checking', { isOn: true, turnedAt: this.#parts.clock() }, took)
        if (next === undefined) await this.#withdraw(action)
      } catch (error) {
        if (this.#end.signal.aborted) return // the next process goes on
        // Nothing stays half done.
        await this.#within(action, (tactic, at) => tactic.undo(action.change, at))
        await this.#step(kept, 'failed', { isOn: false }, String((error as Error).message))
      }
    })
  }

  undo(kept: Kept): void {
    this.#carry(async () => {
      const { action } = kept
      const took = await this.#within(action, (tactic, at) => tactic.undo(action.change, at))
      await this.#step(kept, 'undone', { isOn: false }, took)
    })
  }

  /** Turn a change on or off while it is checked. */
  turn(kept: Kept, isOn: boolean, changed: Partial<Action>): void {
    this.#carry(async () => {
      const { action } = kept
      await this.#within(action, (tactic, at) => tactic[isOn ? 'carryOut' : 'undo'](action.change, at))
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

  async close(): Promise<void> {
    this.#end.abort()
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
    const limit = new AbortController()
    const end = (): void => limit.abort()
    const timer = setTimeout(end, tactic.limitMs)
    this.#end.signal.addEventListener('abort', end, { once: true })
    const startedAt = this.#parts.clock()
    try {
      await run(tactic, { ...place, signal: limit.signal })
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
