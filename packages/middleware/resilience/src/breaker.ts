import type { BreakerState, ResilienceSettings } from './options.ts'

/** What a call must know to tell the breaker how it ended. */
export interface Pass {
  readonly isProbe: boolean
}

const ordinary: Pass = Object.freeze({ isProbe: false })

/**
 * Fails fast while the store fails. Closed: calls pass, and the last of them are remembered. Open: none pass. After
 * `openMs` exactly one call passes as a probe, and the others fail as before; its success closes the breaker, its
 * failure opens it again. A probe that never ends counts as failed at its deadline, so that nothing stays half-open.
 */
export class Breaker {
  readonly #settings: NonNullable<ResilienceSettings['breaker']>
  readonly #now: () => number
  readonly #random: () => number
  readonly #changed: (state: BreakerState) => void
  /** The last calls: 1 failed, 0 did not. */
  readonly #last: Uint8Array
  #seen = 0
  #failed = 0
  #opensUntil = 0
  #probe: { readonly pass: Pass; readonly endsAt: number } | undefined
  #state: BreakerState = 'closed'

  constructor(
    settings: NonNullable<ResilienceSettings['breaker']>,
    { now, random }: Pick<ResilienceSettings, 'now' | 'random'>,
    changed: (state: BreakerState) => void,
  ) {
    this.#settings = settings
    this.#now = now
    this.#random = random
    this.#changed = changed
    this.#last = new Uint8Array(settings.window)
  }

  get state(): BreakerState {
    return this.#state
  }

  /** Let a call pass that ends at `deadlineAt` at the latest; `undefined`: fail it at once. */
  enter(deadlineAt: () => number): Pass | undefined {
    if (this.#state === 'closed') return ordinary
    const now = this.#now()
    if (this.#probe !== undefined && now >= this.#probe.endsAt) this.#open(now)
    if (this.#probe !== undefined || now < this.#opensUntil) return undefined
    const pass = { isProbe: true }
    this.#probe = { pass, endsAt: Math.min(deadlineAt(), now + 60_000) }
    this.#become('half-open')
    return pass
  }

  /** How a call that passed has ended. */
  leave(pass: Pass, failed: boolean): void {
    if (pass.isProbe) {
      // One that was given up on meanwhile has no say any more.
      if (this.#probe?.pass !== pass) return
      if (failed) this.#open(this.#now())
      else this.#close()
    } else if (this.#state === 'closed') this.#remember(failed)
  }

  #remember(failed: boolean): void {
    const { window, failureShare } = this.#settings
    const place = this.#seen % window
    if (this.#seen >= window) this.#failed -= this.#last[place] as number
    this.#last[place] = failed ? 1 : 0
    if (failed) this.#failed++
    this.#seen++
    if (failed && this.#seen >= window && this.#failed >= failureShare * window) this.#open(this.#now())
  }

  /** A tenth more or less, so that many processes do not probe in step. */
  #open(now: number): void {
    this.#probe = undefined
    this.#opensUntil = now + this.#settings.openMs * (0.9 + 0.2 * this.#random())
    this.#become('open')
  }

  #close(): void {
    this.#probe = undefined
    this.#seen = 0
    this.#failed = 0
    this.#become('closed')
  }

  #become(state: BreakerState): void {
    if (this.#state === state) return
    this.#state = state
    this.#changed(state)
  }
}
