import { lostMs } from '@unikv/core/platform'
import type { BreakerState, ResilienceSettings } from './options.ts'

/** The data with which a call reports its end to the breaker. */
export interface Pass {
  readonly isProbe: boolean
}

const ordinary: Pass = Object.freeze({ isProbe: false })

/** Verdict of a call that passed: the store works, it fails, or the call tells nothing. */
export type Verdict = 'works' | 'fails' | 'nothing'

/** A probe without an end is given up after so many milliseconds. */
const longestProbeMs = 60_000

/**
 * Fails fast while the store fails. Closed: calls pass, and what the last of them told is remembered. Open: none pass.
 * After `openMs` exactly one call passes as a probe, and the others fail as before; its success closes the breaker, its
 * failure opens it again, and one that told nothing leaves its place to the next call.
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
  #probe: { readonly pass: Pass; readonly startedAt: number; readonly lostBefore: number } | undefined
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

  /** Let a call pass; `undefined`: fail it at once. */
  enter(): Pass | undefined {
    if (this.#state === 'closed') return ordinary
    const now = this.#now()
    if (this.#probeIsLost(now)) this.#open(now)
    if (this.#probe !== undefined || now < this.#opensUntil) return undefined
    const pass = { isProbe: true }
    this.#probe = { pass, startedAt: now, lostBefore: lostMs() }
    this.#become('half-open')
    return pass
  }

  /** End a call that passed, with its verdict. */
  leave(pass: Pass, verdict: Verdict): void {
    if (pass.isProbe) this.#probed(pass, verdict)
    else if (this.#state === 'closed' && verdict !== 'nothing') this.#remember(verdict === 'fails')
  }

  #probed(pass: Pass, verdict: Verdict): void {
    // One that was given up on meanwhile has no say any more.
    if (this.#probe?.pass !== pass) return
    if (verdict === 'works') return this.#close()
    if (verdict === 'fails') return this.#open(this.#now())
    this.#probe = undefined
    this.#become('open')
  }

  /** Time in which the process did not run is not the probe's. */
  #probeIsLost(now: number): boolean {
    if (this.#probe === undefined) return false
    const { startedAt, lostBefore } = this.#probe
    return now - startedAt - (lostMs() - lostBefore) >= longestProbeMs
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
