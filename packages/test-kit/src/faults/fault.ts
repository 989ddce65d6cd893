/** Towards the server, or back from it. */
export type FaultSide = 'request' | 'response'

/** One side, or both at the same time. */
export type FaultSides = FaultSide | 'both'

/**
 * The effect of a {@link FaultProxy} on the bytes.
 *
 * - `pass`: nothing.
 * - `hold`: keeps the bytes of one side back, in order. They go on when the next fault is injected, even if
 *   the client has gone away in the meantime: a late reply, or a late effect. With both sides it is a pause.
 * - `drip`: lets only so many bytes a second of one side (or of each) pass, on each connection; the rest goes on
 *   under the next fault.
 * - `cut`: lets exactly `afterBytes` bytes of one side pass, counted on each connection from the injection,
 *   then closes that connection. With 0 it cuts when the first byte arrives: `response` with 0 is a reply
 *   lost after the effect. After `times` cuts (by default 1) it becomes `pass`.
 * - `reset`: resets (RST) every open connection, and every new one.
 * - `blackHole`: swallows all bytes of both sides, and closings too. A connection that was open meanwhile
 *   never works again: the next fault resets it.
 * - `forget`: swallows all bytes of the connections that are open now, as a network that has forgotten them does; new
 *   connections work. The next fault resets what was swallowed.
 */
export type Fault =
  | { readonly kind: 'pass' }
  | { readonly kind: 'hold'; readonly side: FaultSides }
  | { readonly kind: 'drip'; readonly side: FaultSides; readonly bytesPerSecond: number }
  | { readonly kind: 'cut'; readonly side: FaultSide; readonly afterBytes: number; readonly times?: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'blackHole' }
  | { readonly kind: 'forget' }

/** A fault at work. */
export interface InjectedFault {
  /**
   * Resolves when the fault first takes effect: bytes held back, slowed or swallowed, a connection cut or reset.
   * With `{ kind: 'hold', side: 'response' }` the server has then acted on a request. Never rejects.
   */
  readonly struck: Promise<void>
}

/** Whether a fault of these sides concerns this one. */
export function concerns(sides: FaultSides, side: FaultSide): boolean {
  return sides === side || sides === 'both'
}

/** The fault that is in force, as the connections of one proxy share it. */
export class FaultSwitch {
  #fault: Fault = { kind: 'pass' }
  #cutsLeft = 0
  #strike: () => void = () => {}
  /** Changes with each injection: counts of bytes start anew. */
  generation = 0

  get fault(): Fault {
    return this.#fault
  }

  inject(fault: Fault): InjectedFault {
    this.#fault = fault
    this.#cutsLeft = fault.kind === 'cut' ? (fault.times ?? 1) : 0
    this.generation += 1
    const struck = new Promise<void>((resolve) => {
      this.#strike = resolve
    })
    if (fault.kind === 'pass') this.strike()
    return { struck }
  }

  strike(): void {
    this.#strike()
  }

  /** Counts one cut. */
  cut(): void {
    this.strike()
    this.#cutsLeft -= 1
    if (this.#cutsLeft <= 0) this.#fault = { kind: 'pass' }
  }
}
